import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

/** The project whose request is being served. */
const currentProject = new AsyncLocalStorage<string | undefined>();

/** Runs `work`; the connections that it takes count towards the project's share of each pool. */
export function onBehalfOf<T>(projectId: string, work: () => Promise<T>): Promise<T> {
  noteRequest(projectId);
  return currentProject.run(projectId, work);
}

/** The project of the latest request, and that of the latest one of any other. */
let latest = { projectId: '', at: -Infinity };
let beforeIt = latest;

function noteRequest(projectId: string): void {
  if (latest.projectId !== projectId) beforeIt = latest;
  latest = { projectId, at: performance.now() };
}

/** Long enough for a login, which makes several requests. */
const COMPANY_MS = 2_000;

/**
 * Whether this process has served another project in the last two seconds. Large requests and long reads pause only then:
 * without a pause a login during an export takes twice as long, and with one in any case a single project would export and
 * publish at half the speed.
 */
export function hasCompany(projectId: string): boolean {
  const { at } = latest.projectId === projectId ? beforeIt : latest;
  return performance.now() - at < COMPANY_MS;
}

/** For work that is not the project's own, or that has its connection. */
export function outsideProject<T>(work: () => T): T {
  // Not `exit`, which switches the hooks of the whole storage off and on again.
  return currentProject.run(undefined, work);
}

/**
 * How long a request waits for others of its project: longer than for a database that does not answer, because this one
 * does, and a busy moment of the process must not become an error.
 */
export const SHARE_WAIT_MS = 10_000;

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

/** A pool of which each project holds a few connections at most; its further callers wait for each other. */
export class SharedPool extends pg.Pool {
  private readonly projects = new Map<string, ProjectQueue>();
  /** Callers that wait for another one of their project. */
  heldBackCount = 0;
  shareWaitMs = SHARE_WAIT_MS;

  constructor(
    options: pg.PoolConfig,
    private readonly share = Infinity,
  ) {
    super(options);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const project = currentProject.getStore();
    const isBounded = project !== undefined && this.share !== Infinity;
    if (!isBounded) return callback ? super.connect(callback) : super.connect();
    const connecting = this.connectInShare(project);
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error, undefined, () => {}),
    );
  }

  private async connectInShare(project: string): Promise<pg.PoolClient> {
    const leave = await this.enter(project);
    try {
      const client = await super.connect();
      // The pool sets this function anew for each user of the connection.
      const release = client.release;
      client.release = (error) => {
        release.call(client, error);
        leave();
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Waits for a place among the project's connections. Returns a function that gives it back. */
  private async enter(project: string): Promise<() => void> {
    const queue = this.projects.get(project) ?? { held: 0, waiting: [] };
    this.projects.set(project, queue);
    if (queue.held < this.share) queue.held += 1;
    else await this.wait(queue);
    return () => {
      const next = queue.waiting.shift();
      if (next) return next();
      queue.held -= 1;
      if (queue.held === 0) this.projects.delete(project);
    };
  }

  private async wait({ waiting }: ProjectQueue): Promise<void> {
    this.heldBackCount += 1;
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(resolve), 1);
          reject(new ShareExceeded());
        }, this.shareWaitMs);
      });
    } finally {
      clearTimeout(timer);
      this.heldBackCount -= 1;
    }
  }
}

interface ProjectQueue {
  held: number;
  /** Each takes over a place that is given back. */
  waiting: (() => void)[];
}

/** A project's requests hold its share of the connections for so long that a further one gives up. */
export class ShareExceeded extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('the requests of this project wait too long for the database');
  }
}
