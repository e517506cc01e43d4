import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Scope } from '../../base/contract/scopes';
import { admit, type Authenticate } from '../../base/http/guard';
import { readJsonBody } from '../../base/http/json-body';
import type { OwnRequests } from '../../base/http/own-requests';
import type { CountRequest } from '../../base/http/project-limit';
import type { Route } from '../../base/http/route';
import { createMcpServer, type CallApi } from './server';
import { createTools, type Tool } from './tools';

export const MCP_PATH = '/mcp';

/** For the log: nginx's status of a request whose client has gone. */
const CLIENT_CLOSED_REQUEST = 499;

export interface McpDeps {
  routes: Route[];
  /** By API key only: a browser's cookie must not reach tools. */
  authenticate: Authenticate;
  countRequest: CountRequest;
  /** Where this process serves the API. */
  ownUrl: () => string;
  ownRequests: OwnRequests;
  version: string;
}

/**
 * The Model Context Protocol over streamable HTTP, without sessions: every request carries the API key, so that a revoked
 * key ends access at once and any process can respond. A call of a tool is a request to the API with the same key and
 * address. Every message counts as a request of the project; the request that a tool makes is not counted again.
 */
export function mcpEndpoint({ routes, ownUrl, ownRequests, version, ...deps }: McpDeps): Middleware {
  // Created on the first request: building the schemas would take half of the API's start time.
  let tools: Promise<Tool[]> | undefined;
  const sets = new Map<string, ToolSet>();

  async function toolsOf(scopes: readonly Scope[]): Promise<ToolSet> {
    const key = [...scopes].sort().join();
    const known = sets.get(key);
    if (known) return known;
    tools ??= createTools(routes);
    const allowed = (await tools).filter(({ scope }) => scope === null || scopes.includes(scope));
    const list = Buffer.from(`{"tools":[${allowed.map(({ json }) => json).join()}]}`);
    const set = { allowed, list };
    sets.set(key, set);
    return set;
  }

  return async (ctx, next) => {
    if (ctx.path !== MCP_PATH) return next();
    ctx.state['routePattern'] = MCP_PATH;
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST');
      throw new AppError('method_not_allowed');
    }
    const { scopes } = await admit(ctx, deps);
    const body = await readJsonBody(ctx, limits.requestBodyBytes);
    if (Array.isArray(body)) {
      throw new AppError('validation_failed', 'body: must be one JSON-RPC message, not a batch');
    }
    const { allowed, list } = await toolsOf(scopes);
    const listId = idOfList(body);
    if (listId !== undefined) {
      ctx.type = 'json';
      const before = `{"jsonrpc":"2.0","id":${JSON.stringify(listId)},"result":`;
      ctx.body = Buffer.concat([Buffer.from(before), list, Buffer.from('}')]);
      return;
    }
    const headers = { authorization: ctx.get('authorization'), ...ownRequests.headersFor(ctx.ip) };
    const server = createMcpServer(allowed, apiAt(ownUrl(), headers), version);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const hasGone = new Promise<null>((resolve) => void ctx.res.once('close', () => resolve(null)));
    void hasGone.then(() => server.close());
    const request = new Request(ownUrl() + MCP_PATH, { method: 'POST', headers: headersOf(ctx) });
    const response = await Promise.race([transport.handleRequest(request, { parsedBody: body }), hasGone]);
    ctx.status = response?.status ?? CLIENT_CLOSED_REQUEST;
    ctx.type = response?.headers.get('content-type') ?? '';
    ctx.body = response ? await response.text() : '';
  };
}

/** The headers that the transport reads. It gets the body parsed. */
function headersOf(ctx: Context): Headers {
  const read = ['accept', 'content-type', 'mcp-protocol-version'].filter((name) => ctx.get(name) !== '');
  return new Headers(read.map((name): [string, string] => [name, ctx.get(name)]));
}

/** The tools that a set of scopes allows. */
interface ToolSet {
  allowed: Tool[];
  /** The result of `tools/list`. */
  list: Buffer;
}

/** The id of a request to list the tools; undefined for any other message. */
function idOfList(message: unknown): string | number | undefined {
  const { jsonrpc, method, id } = (message ?? {}) as { jsonrpc?: unknown; method?: unknown; id?: unknown };
  if (jsonrpc !== '2.0' || method !== 'tools/list') return undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function apiAt(url: string, headers: Record<string, string>): CallApi {
  return async (method, path, body, signal) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': body.type } : {}) },
      ...(body ? { body: body.text } : {}),
      redirect: 'error',
      signal,
    });
    return { status: response.status, text: await response.text() };
  };
}
