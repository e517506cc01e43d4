import { randomBytes } from 'node:crypto';
import { sendJson, type Exchange } from './http';
import { badPayload } from './max-shapes';

interface Upload {
  type: string;
  token: string;
  url: string;
  bytes: number;
}

const TYPES = ['image', 'video', 'audio', 'file'];

/** Files that a bot uploads before sending; their content is discarded. MAX takes up to 4 GB. */
export class Uploads {
  private readonly byId = new Map<string, Upload>();
  private readonly byToken = new Map<string, Upload>();

  /**
   * `POST /uploads?type=` returns the upload URL, for video and audio also the token; other types get their token after
   * the upload.
   */
  begin(type: string | null, origin: string): Record<string, unknown> {
    if (type === null || !TYPES.includes(type)) throw badPayload(`type: must be one of ${TYPES.join(', ')}`);
    const id = randomBytes(12).toString('hex');
    const upload = {
      type,
      token: randomBytes(24).toString('base64url'),
      url: `${origin}/upload/${id}`,
      bytes: 0,
    };
    this.byId.set(id, upload);
    return { url: upload.url, ...((type === 'video' || type === 'audio') && { token: upload.token }) };
  }

  /** The upload needs no bot token: its URL is the secret. */
  async receive(exchange: Exchange): Promise<boolean> {
    const upload = this.byId.get(/^\/upload\/(\w+)$/.exec(exchange.path)?.[1] ?? '');
    if (!upload || exchange.method !== 'POST') return false;
    for await (const chunk of exchange.req as AsyncIterable<Buffer>) upload.bytes += chunk.length;
    this.byToken.set(upload.token, upload);
    if (upload.type === 'image') {
      sendJson(exchange, 200, { photos: { [upload.token.slice(0, 8)]: { token: upload.token } } });
    } else if (upload.type === 'file') {
      sendJson(exchange, 200, { token: upload.token });
    } else {
      exchange.res.writeHead(200, { 'content-type': 'text/xml' }).end('<retval>1</retval>');
    }
    return true;
  }

  /** Undefined until the file has arrived. */
  received(token: unknown): Upload | undefined {
    return this.byToken.get(String(token));
  }
}
