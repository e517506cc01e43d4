/** How lists name an endpoint: its description, or the path, because all endpoints of a project may share a host. */
export function endpointName(description: string | null, url: string): string {
  return description || new URL(url).pathname;
}
