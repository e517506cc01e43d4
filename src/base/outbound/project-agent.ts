import { Agent, Pool } from 'undici';

/**
 * An agent whose connections are bounded by project and origin: projects with endpoints at the same origin do not wait for
 * each other's connections. Its requests take their origin from `projectOrigin`.
 */
export function createProjectAgent(options: Agent.Options): Agent {
  return new Agent({ ...options, factory: (key, opts) => new Pool(new URL(key).origin, opts) });
}

/** The agent keeps connections by this URL. It contains the project as a user name, which is not sent. */
export function projectOrigin(url: URL, projectId: string): URL {
  const key = new URL(url.origin);
  key.username = projectId;
  return key;
}
