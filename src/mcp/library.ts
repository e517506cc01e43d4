/** The library of the Model Context Protocol, loaded on the first use: it takes longer to load than most of the service. */
export function loadLibrary() {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

let loaded: ReturnType<typeof load> | undefined;

async function load() {
  const [{ Server }, { StreamableHTTPServerTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const { CallToolRequestSchema, ErrorCode, McpError } = types;
  return {
    Server,
    StreamableHTTPServerTransport,
    CallToolRequestSchema,
    ErrorCode,
    McpError,
  };
}

export type McpLibrary = Awaited<ReturnType<typeof load>>;
