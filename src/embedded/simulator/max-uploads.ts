import { randomBytes } from 'node:crypto';
import type { Exchange } from './http';
import { readBody, sendJson } from './http';
import { badPayload } from './max-shapes';

interface Upload {
  type: string;
  token: string;
  url: string;
  received: boolean;
}

const TYPES = ['image', 'video', 'audio', 'file'];

/** Files that a bot uploads before it sends them; their bytes are read and forgotten. */
export class Uploads {
  private readonly byId = new Map<string, Upload>();

  /** `POST /uploads?type=`: where to upload to; video and audio get their token here, the others after it. */
  begin(type: string | null, origin: string): Record<string, unknown> {
    if (type === null || !TYPES.includes(type)) throw badPayload(`type: must be one of ${TYPES.join(', ')}`);
    const id = randomBytes(12).toString('hex');
    const upload = {
      type,
      token: randomBytes(24).toString('base64url'),
      url: `${origin}/upload/${id}`,
      received: false,
    };
    this.byId.set(id, upload);
    return { url: upload.url, ...((type === 'video' || type === 'audio') && { token: upload.token }) };
  }

  /** The upload itself needs no token of the bot: its address is the secret. */
  async receive(exchange: Exchange): Promise<boolean> {
    const upload = this.byId.get(/^\/upload\/(\w+)$/.exec(exchange.path)?.[1] ?? '');
    if (!upload || exchange.method !== 'POST') return false;
    await readBody(exchange.req);
    upload.received = true;
    if (upload.type === 'image') {
      sendJson(exchange, 200, { photos: { [upload.token.slice(0, 8)]: { token: upload.token } } });
    } else if (upload.type === 'file') {
      sendJson(exchange, 200, { token: upload.token });
    } else {
      exchange.res.writeHead(200, { 'content-type': 'text/xml' }).end('<retval>1</retval>');
    }
    return true;
  }

  urlOf(token: unknown): string | undefined {
    return [...this.byId.values()].find((upload) => upload.token === token && upload.received)?.url;
  }
}
