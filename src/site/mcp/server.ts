import { ProtocolError, ProtocolErrorCode, Server, type CallToolResult } from '@modelcontextprotocol/server';
import { requestOf, type Tool } from './tools';

/** Makes a request to the API as the caller of the tool. */
export type CallApi = (
  method: string,
  path: string,
  body: { text: string; type: string } | null,
  /** Aborts when the caller has gone. */
  signal: AbortSignal,
) => Promise<{ status: number; text: string }>;

/** A server for one caller: it calls the tools that the caller's scopes allow. The endpoint lists them. */
export function createMcpServer(tools: Tool[], callApi: CallApi, version: string): Server {
  const server = new Server({ name: 'herald', version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: given = {} } = params;
    const tool = tools.find((each) => each.name === name);
    if (!tool) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}" for this key.`);
    }
    return callTool(tool, given, callApi, mcpReq.signal);
  });
  return server;
}

async function callTool(
  tool: Tool,
  given: Record<string, unknown>,
  callApi: CallApi,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { path, body } = requestOf(tool, given);
  const { method, text: asText } = tool.spec;
  const sent =
    body === undefined
      ? null
      : asText
        ? { text: String(body), type: asText.type }
        : { text: JSON.stringify(body), type: 'application/json' };
  const { status, text } = await callApi(method, path, sent, signal);
  const isError = status >= 400;
  const content: CallToolResult['content'] = [{ type: 'text', text: text || 'Done.' }];
  if (isError || !tool.outputSchema) return { content, isError };
  return { content, structuredContent: JSON.parse(text) as Record<string, unknown> };
}
