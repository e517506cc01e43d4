import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { MCP_PATH } from './endpoint';

/** Passes the messages of a local agent on to the service, and its responses back, until the agent ends. */
export async function serveOnStdio(apiUrl: string, apiKey: string): Promise<void> {
  const agent = new StdioServerTransport();
  const service = new StreamableHTTPClientTransport(new URL(MCP_PATH, apiUrl), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
  });
  service.onmessage = (message) => void agent.send(message);
  agent.onmessage = (message) => {
    service.send(message).catch((error: unknown) => {
      const refusal = refusalOf(message, (error as Error).message);
      if (refusal) void agent.send(refusal);
    });
  };
  await service.start();
  await agent.start();
  await ended;
  await service.close();
}

function refusalOf(message: JSONRPCMessage, reason: string): JSONRPCMessage | null {
  if (!isJSONRPCRequest(message)) return null;
  return { jsonrpc: '2.0', id: message.id, error: { code: ErrorCode.InternalError, message: reason } };
}
