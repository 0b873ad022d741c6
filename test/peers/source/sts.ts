import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureTools } from '#sandbox/tools.js';
import { freePort } from '#sandbox/world/ports.js';
import { eventually } from '../../support/world.js';
import { clientOf, REGION, ROOT, untilListening, type ObjectStoreClient } from './object-store.js';

/** A user of the directory whom a policy lets in; characters that a form must escape. */
export const USER = { username: 'puller', password: 'pull+secret &=ü%' };
/** In the directory, too, and without a policy. */
export const STRANGER = { username: 'stranger', password: 'strange' };
const LOOKUP = { username: 'lookup', password: 'lookup-secret' };
const BASE = 'dc=example,dc=com';

/** A real object store that gives temporary keys to users of a real directory. */
export interface StsServer extends ObjectStoreClient {
  /** Starts again as the same store, that accepts no keys from before. */
  forgetKeys(): Promise<void>;
  stop(): Promise<void>;
}

interface Running {
  readonly child: ChildProcess;
  end(): Promise<void>;
}

async function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv, at: string): Promise<Running> {
  const child = spawn(program, args, { stdio: 'ignore', env });
  const ended = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  await untilListening(child, at).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return { child, end };
}

function directory(listen: string): string {
  const users = [LOOKUP, USER, STRANGER].map(({ username, password }, index) => {
    const digest = createHash('sha256').update(password).digest('hex');
    const user = `[[users]]\nname = "${username}"\nuidnumber = ${5_000 + index}\nprimarygroup = 5500\npasssha256 = "${digest}"\n`;
    return username === LOOKUP.username ? `${user}[[users.capabilities]]\naction = "search"\nobject = "*"\n` : user;
  });
  return [
    `[ldap]\nenabled = true\nlisten = "${listen}"\n[ldaps]\nenabled = false\n`,
    `[backend]\ndatastore = "config"\nbaseDN = "${BASE}"\n[behaviors]\nLimitFailedBinds = false\n`,
    ...users,
    '[[groups]]\nname = "people"\ngidnumber = 5500\n',
  ].join('');
}

function ldapSettings(at: string): NodeJS.ProcessEnv {
  const settings = {
    ...{ SERVER_ADDR: at, SERVER_INSECURE: 'on', LOOKUP_BIND_DN: `cn=${LOOKUP.username},ou=people,${BASE}` },
    ...{ LOOKUP_BIND_PASSWORD: LOOKUP.password, USER_DN_SEARCH_BASE_DN: BASE, USER_DN_SEARCH_FILTER: '(cn=%s)' },
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`MINIO_IDENTITY_LDAP_${name}`, value]));
}

/** Builds MinIO and glauth unless they are built, and starts them on loopback. */
export async function startSts(): Promise<StsServer> {
  const { minio, glauth } = await ensureTools(['minio', 'glauth'], {
    log: (line) => process.stdout.write(`${line}\n`),
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-sts-'));
  const [endpoint, ldap] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const config = path.join(folder, 'glauth.cfg');
  await writeFile(config, directory(ldap));
  const users = await start(glauth, ['-c', config], { HOME: folder }, ldap);
  const root = { MINIO_ROOT_USER: ROOT.accesskey, MINIO_BROWSER: 'off', MINIO_REGION: REGION };
  const startStore = (password: string): Promise<Running> => {
    const env = { HOME: folder, ...root, MINIO_ROOT_PASSWORD: password, ...ldapSettings(ldap) };
    return start(minio, ['server', '--address', endpoint, path.join(folder, 'data')], env, endpoint);
  };
  let store = await startStore(ROOT.secretkey);
  const client = clientOf(endpoint);
  const policy = `isGroup=false&policyName=readwrite&userOrGroup=${USER.username}`;
  // It listens before it knows its users.
  await eventually(() => client.send({ method: 'PUT', path: `/minio/admin/v3/set-user-or-group-policy?${policy}` }));
  return {
    ...client,
    async forgetKeys() {
      await store.end();
      store = await startStore('another-secret-of-tests');
    },
    async stop() {
      await Promise.all([store.end(), users.end()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
