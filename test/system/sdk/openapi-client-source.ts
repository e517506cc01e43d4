/** A login with openapi-fetch and the types of schema.d.ts, which the test generates beside it. */
export const openApiClientSource = `import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths>({
  baseUrl: process.env.HERALD_URL ?? '',
  headers: { authorization: \`Bearer \${process.env.HERALD_API_KEY}\` },
});

const created = await client.POST('/v1/auth/session', { body: { state: 'st-1' } });
if (!created.data) throw new Error(created.error.code);
console.log(created.data.telegram_link);

const params = { path: { id: created.data.session_id }, query: { wait: 25 } };
const { data: login } = await client.GET('/v1/auth/session/{id}/status', { params });
if (login?.status !== 'confirmed') throw new Error(login?.status);
const { data: user } = await client.POST('/v1/auth/verify', { body: { code: login.code } });
console.log(\`Hello, \${user?.first_name}\`);
`;
