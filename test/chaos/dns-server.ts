import dgram from 'node:dgram';
import { once } from 'node:events';
import path from 'node:path';

/** A name server for which every name is this machine; it can fail in two ways. */
export interface DnsServer {
  /** Environment for a process that is to ask it. */
  env: Record<string, string>;
  /** `refuse`: answers with SERVFAIL. `silence`: answers nothing. */
  mode(mode: 'answer' | 'refuse' | 'silence'): void;
  close(): void;
}

const TYPE_A = 1;
const SERVFAIL = 2;

export async function startDnsServer(): Promise<DnsServer> {
  let mode: 'answer' | 'refuse' | 'silence' = 'answer';
  const socket = dgram.createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    if (mode !== 'silence') socket.send(respond(query, mode === 'refuse'), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    env: {
      HERALD_TEST_DNS: `127.0.0.1:${socket.address().port}`,
      NODE_EXTRA_CA_CERTS: path.join(__dirname, '..', 'support', 'certificates', 'test-only-cert.pem'),
      NODE_OPTIONS: `--require ${path.join(__dirname, 'own-dns.js')}`,
    },
    mode(next) {
      mode = next;
    },
    close: () => void socket.close(),
  };
}

/** The question again, with one address if it asked for one of IPv4. */
function respond(query: Buffer, refuses: boolean): Buffer {
  let end = 12;
  while (query[end]) end += (query[end] ?? 0) + 1;
  const question = query.subarray(12, end + 5);
  const isA = query.readUInt16BE(end + 1) === TYPE_A;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response; recursion was desired and is available.
  header.writeUInt16BE(0x8180 | (refuses ? SERVFAIL : 0), 2);
  header.writeUInt16BE(1, 4);
  const hasAnswer = isA && !refuses;
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6);
  // The name by a pointer to the question, type A, class IN, a life of 0 seconds, four bytes.
  const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, question, ...(hasAnswer ? [answer] : [])]);
}
