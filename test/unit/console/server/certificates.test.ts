import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Certificates, keepRenewed, type CertificateOptions } from '#console/server/certificates.js';
import { peerCertificate, userOfCertificate } from '#console/server/peers.js';
import { createLogger } from '#runtime/process/log.js';
import { selfSignedCertificate, type Certificate } from '../../../support/certificate.js';

const [OLD, NEW] = [selfSignedCertificate('console', 'old'), selfSignedCertificate('console', 'new')];
const [ADA, BOB] = [selfSignedCertificate('ada', 'dev'), selfSignedCertificate('bob', 'dev')];

let folder: string;
let options: CertificateOptions;
let certificates: Certificates;
let server: Server;
let lines: Record<string, unknown>[];

const put = (file: string, text: string): Promise<void> => writeFile(path.join(folder, file), text);
const renew = (): Promise<void> => {
  const log = createLogger('info', { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  return certificates.renew(server, log);
};

/** Who the server says that we are, if it shows this certificate. */
function whoami(shown: Certificate, own?: Certificate): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const tls = { ca: shown.cert, checkServerIdentity: () => undefined, ...own };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, agent: false, ...tls }, (response) => {
      response.on('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    outgoing.on('error', reject).end();
  });
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'certificates-'));
  lines = [];
  await Promise.all([put('cert', OLD.cert), put('key', OLD.key), put('clients', ADA.cert)]);
  const [tlsCertFile, tlsKeyFile, clientCaFile] = ['cert', 'key', 'clients'].map((file) => path.join(folder, file));
  options = { tlsCertFile, tlsKeyFile, clientCaFile, proxyCaFile: undefined, proxyNames: [], proxyAddresses: [] };
  certificates = await Certificates.read(options);
  const tls = { ...certificates.tls, requestCert: true, rejectUnauthorized: false };
  server = createServer(tls, ({ socket }, response) => {
    const shown = peerCertificate(socket, certificates.trust.clientIssuers);
    response.end(shown === undefined ? 'nobody' : userOfCertificate(shown)?.username);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

it('shows a new certificate once both files have it', async () => {
  expect(await whoami(OLD)).toBe('nobody');
  await put('cert', NEW.cert);
  await renew();
  await renew();
  expect(lines).toMatchObject([{ msg: 'certificates not renewed' }]);
  expect(await whoami(OLD)).toBe('nobody');
  await put('key', NEW.key);
  await renew();
  await renew();
  expect(lines.slice(1)).toMatchObject([{ msg: 'certificates renewed' }]);
  expect(await whoami(NEW)).toBe('nobody');
  await expect(whoami(OLD)).rejects.toThrow(/self-signed|self signed|unable to verify|signature/);
});

it('believes a new authority for clients, and the old one no longer', async () => {
  expect([await whoami(OLD, ADA), await whoami(OLD, BOB)]).toEqual(['ada', 'nobody']);
  await put('clients', BOB.cert);
  await renew();
  expect([await whoami(OLD, ADA), await whoami(OLD, BOB)]).toEqual(['nobody', 'bob']);
});

it.each<[string, () => Promise<void>, RegExp]>([
  ['no certificate', () => put('clients', ''), /--client-ca-file: .* holds no certificate/],
  ['no file', () => rm(path.join(folder, 'clients')), /--client-ca-file: .*ENOENT/],
  ['no key', () => put('key', 'nonsense'), /./],
])('goes on with what it has if there is %s, and says so once', async (_, breaking, problem) => {
  await breaking();
  await renew();
  await renew();
  expect(lines).toEqual([expect.objectContaining({ problem: expect.stringMatching(problem) })]);
  expect(await whoami(OLD, ADA)).toBe('ada');
});

/** Only what the renewal waits with: files and sockets need the others. */
const OTHER_TIMERS = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const;
const SHORT_TIMERS = ['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const;

it('is renewed by the clock, until that is ended', async () => {
  jest.useFakeTimers({ doNotFake: [...OTHER_TIMERS, ...SHORT_TIMERS] });
  try {
    let said: (message: unknown) => void = () => undefined;
    const next = (): Promise<unknown> => new Promise((resolve) => (said = resolve));
    const log = createLogger('info', { write: (line) => said((JSON.parse(line) as { msg: unknown }).msg) });
    const end = keepRenewed(certificates, server, log);
    const first = next();
    await put('cert', NEW.cert);
    jest.advanceTimersByTime(10_000);
    expect(await first).toBe('certificates not renewed');
    expect(await whoami(OLD)).toBe('nobody');
    await put('key', NEW.key);
    const second = next();
    jest.advanceTimersByTime(10_000);
    expect(await second).toBe('certificates renewed');
    expect(await whoami(NEW)).toBe('nobody');
    end();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
