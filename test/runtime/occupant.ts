// A process of its own that uses the embedded PostgreSQL of a data directory, for tests that kill one.
// Says {"url"} when it has one; on SIGINT it asks the server one more thing, says {"drained"} and leaves.
import { connect } from '../../src/runtime/connect.js';
import { ensureEmbeddedPostgres } from '../../src/runtime/embedded-postgres.js';

const interrupted = new Promise((resolve) => process.once('SIGINT', resolve));
const postgres = await ensureEmbeddedPostgres({ dataDir: process.argv[2] ?? '', settings: { fsync: 'off' } });
const client = await connect(postgres.adminUrl);
process.stdout.write(`${JSON.stringify({ url: postgres.adminUrl })}\n`);
const staysAlive = setInterval(() => undefined, 60_000);
await interrupted;
clearInterval(staysAlive);
const { rows } = await client.query('select 1 as drained');
await client.end();
await postgres.stop();
process.stdout.write(`${JSON.stringify(rows[0])}\n`);
