import pg from 'pg';
import { createPool } from './src/db/pool';
import { migrate } from './src/db/migrate';
import { searchDeliveries } from './src/webhooks/search';
async function main() {
  const admin = new pg.Client({ host: '/tmp/hookspg', port: 54991, user: 'postgres', database: 'postgres' });
  await admin.connect();
  await admin.query('DROP TABLE IF EXISTS t');
  await admin.query('DROP DATABASE IF EXISTS million'); await admin.query('CREATE DATABASE million');
  const pool = createPool({ url: 'postgres://postgres@localhost:54991/million', max: 4 });
  await migrate(pool);
  const p = (await pool.query("INSERT INTO projects (slug,name) VALUES ('big','B') RETURNING id")).rows[0].id;
  const small = (await pool.query("INSERT INTO projects (slug,name) VALUES ('small','S') RETURNING id")).rows[0].id;
  for (const [proj, n] of [[p,5],[small,1]] as const) for (let i=0;i<n;i++) await pool.query("INSERT INTO endpoints (project_id,url,retry_policy) VALUES ($1,'https://x/'||$2::text,'durable')",[proj,i]);
  const t0=Date.now();
  const N=Number(process.argv[2] ?? 300000);
  for (let i=0;i<N;i+=50_000) {
    await pool.query(`INSERT INTO events (project_id,name,body,created_at) SELECT CASE WHEN i % 1000 = 0 THEN $2::uuid ELSE $1::uuid END,'auth.completed',
      '{"event":"auth.completed","data":{"subscriber_id":"'||gen_random_uuid()||'","channel":"telegram","external_id":"user-'||i||'","first_name":"Anna'||(i%4)||'","username":"name_'||md5(i::text)||'","lang":"en","permissions":["news"],"tags":["beta","t'||i%50||'"],"active":true,"blocked":false,"created_at":"2026-01-15T10:30:00.000+00:00","state":"'||md5((i*7)::text)||'","auth_time":"2026-01-15T10:30:00.000+00:00"}}',
      now() - make_interval(secs => 500000 - i/2.0) FROM generate_series($3::int+1,$3::int+50000) i`,[p,small,i]);
  }
  console.log('events', Date.now()-t0);
  await pool.query(`INSERT INTO deliveries (project_id,endpoint_id,event_id,event_name,policy,status,ended_at,start_at,next_attempt_at,created_at,lane)
    SELECT v.project_id, (SELECT id FROM endpoints e WHERE e.project_id=v.project_id ORDER BY e.id OFFSET (abs(hashtext(v.id::text)) % CASE WHEN v.project_id=$1 THEN 5 ELSE 1 END) LIMIT 1), v.id, v.name,'durable', CASE WHEN hashtext(v.id::text) % 5000 = 0 THEN 'failed' ELSE 'succeeded' END, v.created_at, NULL,NULL,v.created_at,'express' FROM events v`,[p]);
  console.log('deliveries', Date.now()-t0);
  await pool.query('VACUUM ANALYZE events'); await pool.query('VACUUM ANALYZE deliveries'); await pool.query('ANALYZE endpoints');
  console.log('index size', (await pool.query("SELECT pg_size_pretty(pg_relation_size('events_search')) s, pg_size_pretty(pg_relation_size('events')) e")).rows[0]);
  const id=(await pool.query('SELECT id,event_id FROM deliveries WHERE project_id=$1 LIMIT 1',[p])).rows[0];
  const run=async(label:string,proj:string,q:string|undefined,filter:object={})=>{ const times=[]; let n=0; for(let k=0;k<3;k++){const s=performance.now(); const r=await searchDeliveries(pool,proj,q,{before:null,limit:50,...filter} as never); times.push(Math.round(performance.now()-s)); n=r.length;} console.log(label.padEnd(34),String(n).padStart(3),'rows', times.join(' / '),'ms'); };
  await run('no q',p,undefined); await run('status=failed',p,undefined,{status:'failed'}); await run('status=cancelled (none)',p,undefined,{status:'cancelled'}); await run('event absent',p,undefined,{event:'otp.sent'});
  await run('delivery id',p,id.id); await run('event id',p,id.event_id);
  await run('rare: user-777777',p,'user-777777'); await run('rare prefix: user-77777',p,'user-77777'); await run('md5 word',p,(await import('node:crypto')).createHash('md5').update('777').digest('hex'));
  await run('common: telegram',p,'telegram'); await run('common absent phrase',p,'telegram Anna1'); await run('common: Anna1',p,'Anna1'); await run('t49 tag',p,'t49'); await run('prefix abc',p,'abc'); await run('absent',p,'nothinglikethis');
  await run('common + rare filter',p,'telegram',{status:'cancelled'});
  await run('small: telegram',small,'telegram'); await run('small: absent phrase',small,'telegram Anna1'); await run('small rare',small,'user-5000');
  await pool.end(); await admin.end();
}
void main();
