/** A browser without a script: keeps cookies by path and follows no redirect by itself. */
export interface CookieBrowser {
  get(url: string, headers?: Record<string, string>): Promise<Page>;
  post(url: string, form: Record<string, string>): Promise<Page>;
  /** All cookies, as `name=value; path`. */
  cookies(): string[];
}

export interface Page {
  url: string;
  status: number;
  headers: Headers;
  /** Where a redirect leads to, absolute. */
  location: string | null;
  text: string;
}

interface Cookie {
  name: string;
  value: string;
  path: string;
}

export function openCookieBrowser(): CookieBrowser {
  let jar: Cookie[] = [];

  function store(header: string): void {
    const [pair = '', ...attributes] = header.split(/;\s*/);
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    const attribute = (wanted: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute('path') ?? '/';
    jar = jar.filter((cookie) => cookie.name !== name || cookie.path !== path);
    const expires = attribute('expires');
    if (expires === undefined || new Date(expires) > new Date()) jar.push({ name, value, path });
  }

  async function request(url: string, init: RequestInit): Promise<Page> {
    const { pathname } = new URL(url);
    const fitting = jar.filter(
      ({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')),
    );
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
        ...(init.headers as Record<string, string>),
        cookie: fitting.map(({ name, value }) => `${name}=${value}`).join('; '),
      },
    });
    for (const header of response.headers.getSetCookie()) store(header);
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      headers: response.headers,
      location: location === null ? null : new URL(location, url).href,
      text: await response.text(),
    };
  }

  return {
    get: (url, headers = {}) => request(url, { headers }),
    post: (url, form) => request(url, { method: 'POST', body: new URLSearchParams(form) }),
    cookies: () => jar.map(({ name, value, path }) => `${name}=${value}; ${path}`),
  };
}
