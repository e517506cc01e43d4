import type { Middleware } from 'koa';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Authenticate } from '../http/guard';
import { readJsonBody } from '../http/json-body';
import type { OwnRequests } from '../http/own-requests';
import type { Route } from '../http/route';
import { loadLibrary } from './library';
import { createMcpServer, type CallApi } from './server';
import { createTools, type Tool } from './tools';

export const MCP_PATH = '/mcp';

export interface McpDeps {
  routes: Route[];
  /** By API key only: a browser's cookie must not reach tools. */
  authenticate: Authenticate;
  /** Where this process serves the API. */
  ownUrl: () => string;
  ownRequests: OwnRequests;
  version: string;
}

/**
 * The Model Context Protocol over streamable HTTP, without sessions: every request carries the API key, so that a revoked
 * key ends access at once and any process can respond. A call of a tool is a request to the API with the same key and
 * address.
 */
export function mcpEndpoint({ routes, authenticate, ownUrl, ownRequests, version }: McpDeps): Middleware {
  // Created on the first request: building the schemas would take half of the API's start time.
  let tools: Tool[] | undefined;
  return async (ctx, next) => {
    if (ctx.path !== MCP_PATH) return next();
    ctx.state['routePattern'] = MCP_PATH;
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST');
      throw new AppError('method_not_allowed');
    }
    const { id, scopes } = await authenticate(ctx);
    ctx.state['projectId'] = id;
    const body = await readJsonBody(ctx, limits.requestBodyBytes);
    tools ??= createTools(routes);
    const allowed = tools.filter(({ scope }) => scope === null || scopes.includes(scope));
    const library = await loadLibrary();
    const headers = { authorization: ctx.get('authorization'), ...ownRequests.headersFor(ctx.ip) };
    const server = createMcpServer(library, allowed, apiAt(ownUrl(), headers), version);
    const transport = new library.StreamableHTTPServerTransport({ enableJsonResponse: true });
    ctx.res.once('close', () => void server.close());
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    // The transport writes the response.
    ctx.respond = false;
    await transport.handleRequest(ctx.req, ctx.res, body);
  };
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
