import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CancelledNotificationSchema,
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { MCP_PATH } from './endpoint';

/** Longer than a long poll of the API. */
const LAST_RESPONSES_MS = 30_000;

/** Passes the messages of a local agent on to the service, and its responses back. Ends when the agent has ended and has every response. */
export async function serveOnStdio(apiUrl: string, apiKey: string): Promise<void> {
  const agent = new StdioServerTransport();
  const service = new StreamableHTTPClientTransport(new URL(MCP_PATH, apiUrl), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  });
  const open = new Set<RequestId>();
  let hasEnded = false;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const settle = (id: RequestId) => {
    open.delete(id);
    if (hasEnded && open.size === 0) finish();
  };
  const respond = async (message: JSONRPCMessage) => {
    await agent.send(message);
    if ('id' in message && !('method' in message) && message.id !== undefined) settle(message.id);
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, finish);
  process.stdin.once('end', () => {
    hasEnded = true;
    if (open.size === 0) finish();
    else setTimeout(finish, LAST_RESPONSES_MS).unref();
  });
  service.onmessage = (message) => void respond(message);
  agent.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (cancelled !== undefined) settle(cancelled);
    service.send(message).catch((error: unknown) => {
      const refusal = refusalOf(message, (error as Error).message);
      if (refusal) void respond(refusal);
    });
  };
  await service.start();
  await agent.start();
  await finished;
  await service.close();
}

function refusalOf(message: JSONRPCMessage, reason: string): JSONRPCMessage | null {
  if (!isJSONRPCRequest(message)) return null;
  return { jsonrpc: '2.0', id: message.id, error: { code: ErrorCode.InternalError, message: reason } };
}
