import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface OwlButton {
  label: string;
  data?: string;
  url?: string;
}

export interface OwlMessage {
  id: string;
  to: string;
  text: string;
  buttons: OwlButton[];
}

export interface OwlUpdate {
  number: number;
  from: { id: string; name: string };
  opened?: { start: string };
  tapped?: { data: string; message: string };
}

/** A bot of the made-up messenger: its token is `owl-<number>-<secret>`, and it writes to people as `@<user>`. */
export interface OwlBot {
  messages: OwlMessage[];
  open(user: string, start: string): void;
  /** Taps a button of the newest message that has one. */
  tap(user: string, label: string): void;
  /** What the bot has written to a user, as it reads now. */
  textsTo(user: string): string[];
}

export interface OwlServer {
  url: string;
  bot(number: number): OwlBot;
  stop(): Promise<void>;
}

interface State {
  updates: OwlUpdate[];
  messages: OwlMessage[];
}

/** The server of a messenger that does not exist, with a bot API of its own. */
export async function startOwlServer(): Promise<OwlServer> {
  const states = new Map<number, State>();
  const stateOf = (bot: number): State => {
    const state = states.get(bot) ?? { updates: [], messages: [] };
    states.set(bot, state);
    return state;
  };

  async function answer(request: IncomingMessage): Promise<[number, unknown]> {
    const number = /^owl-(\d+)-/.exec(String(request.headers['x-owl-token']))?.[1];
    if (number === undefined) return [401, { error: 'unknown token' }];
    const { updates, messages } = stateOf(Number(number));
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://owl');
    const [, resource, id] = pathname.split('/');
    switch (`${request.method} ${resource}`) {
      case 'GET me':
        return [200, { id: Number(number), name: `owl_${number}` }];
      case 'GET updates': {
        const after = Number(searchParams.get('after'));
        return [200, updates.filter((update) => update.number > after)];
      }
      case 'POST messages': {
        const message = {
          id: `m${messages.length + 1}`,
          ...((await json(request)) as Omit<OwlMessage, 'id'>),
        };
        messages.push(message);
        return [200, message];
      }
      case 'PUT messages': {
        const message = messages.find((each) => each.id === id);
        return message ? [200, Object.assign(message, await json(request))] : [404, { error: 'no message' }];
      }
      default:
        return [404, { error: 'no such call' }];
    }
  }

  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bot(number) {
      const { updates, messages } = stateOf(number);
      const to = (user: string) => messages.filter((message) => message.to === `@${user}`);
      const add = (user: string, update: Partial<OwlUpdate>) =>
        updates.push({ number: updates.length + 1, from: { id: user, name: user }, ...update });
      return {
        messages,
        open: (user, start) => add(user, { opened: { start } }),
        tap(user, label) {
          const message = to(user).findLast(({ buttons }) => buttons.length > 0);
          const data = message?.buttons.find((button) => button.label === label)?.data;
          if (!message || data === undefined) throw new Error(`no button ${label} for ${user}`);
          add(user, { tapped: { data, message: message.id } });
        },
        textsTo: (user) => to(user).map(({ text }) => text),
      };
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
