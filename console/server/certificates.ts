import { readFile } from 'node:fs/promises';
import type { Server as HttpServer } from 'node:http';
import { createSecureContext, Server, type SecureContextOptions } from 'node:tls';
import isEqual from 'lodash/isEqual.js';
import type { Logger } from 'pino';
import { TerminalError } from '#lib/errors.js';
import type { Trust } from './authenticate.js';
import type { ConsoleOptions } from './options.js';
import { addressesIn, certificatesIn } from './peers.js';

export type CertificateOptions = Pick<
  ConsoleOptions,
  'tlsCertFile' | 'tlsKeyFile' | 'clientCaFile' | 'proxyCaFile' | 'proxyNames' | 'proxyAddresses'
>;

/** What the files of the flags hold, as PEM; empty without a flag. */
interface Files {
  readonly cert: string;
  readonly key: string;
  readonly clients: string;
  readonly proxies: string;
}

/** As the kubelet renews what it mounts about once in a minute. */
const EVERY_MS = 10_000;

async function pem(flag: string, file: string | undefined): Promise<string> {
  if (file === undefined) return '';
  try {
    return await readFile(file, 'utf8');
  } catch (cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new TerminalError('SettingsInvalid', `--${flag}: ${text}`, { cause });
  }
}

/** Certificates (PEM) in the file of a flag; empty without one. Throws a TerminalError if it cannot be read, or has none. */
export async function authorities(flag: string, file: string | undefined): Promise<string> {
  const text = await pem(flag, file);
  if (file === undefined || certificatesIn(text).length > 0) return text;
  throw new TerminalError('SettingsInvalid', `--${flag}: ${file} holds no certificate`);
}

async function readFiles(options: CertificateOptions): Promise<Files> {
  return {
    cert: await pem('tls-cert-file', options.tlsCertFile),
    key: await pem('tls-key-file', options.tlsKeyFile),
    clients: await authorities('client-ca-file', options.clientCaFile),
    proxies: await authorities('requestheader-client-ca-file', options.proxyCaFile),
  };
}

function trustOf({ clients, proxies }: Files, { proxyNames, proxyAddresses }: CertificateOptions): Trust {
  const issuers = { clientIssuers: certificatesIn(clients), proxyIssuers: certificatesIn(proxies) };
  return { ...issuers, proxyNames, proxyAddresses: addressesIn(proxyAddresses) };
}

function tlsOf({ cert, key, clients, proxies }: Files): SecureContextOptions | undefined {
  const issuers = [...certificatesIn(clients), ...certificatesIn(proxies)].map(String);
  // Without an authority of ours, those of the system would count.
  return cert === '' ? undefined : { cert, key, ca: issuers.length === 0 ? cert : issuers };
}

/** The certificates that the flags name, as their files were read last. */
export class Certificates {
  readonly #options: CertificateOptions;
  #files: Files;
  #trust: Trust;
  /** What the last attempt failed of, so that it is said once. */
  #problem = '';

  private constructor(options: CertificateOptions, files: Files) {
    this.#options = options;
    this.#files = files;
    this.#trust = trustOf(files, options);
  }

  /** Throws a TerminalError for a file that cannot be read, and for one of authorities without a certificate. */
  static async read(options: CertificateOptions): Promise<Certificates> {
    return new Certificates(options, await readFiles(options));
  }

  /** Whom to believe what, now. */
  get trust(): Trust {
    return this.#trust;
  }

  /** Undefined: plain HTTP. */
  get tls(): SecureContextOptions | undefined {
    return tlsOf(this.#files);
  }

  /**
   * Reads the files again. New connections of the server get the new certificate, and whom to believe counts for each
   * request. Files that cannot be used, e.g. a certificate whose key is not written yet, change nothing. Never throws.
   */
  async renew(server: HttpServer, log: Logger): Promise<void> {
    try {
      const files = await readFiles(this.#options);
      if (!isEqual(files, this.#files)) this.#use(files, server, log);
      this.#problem = '';
    } catch (error: unknown) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) log.error({ problem }, 'certificates not renewed');
      this.#problem = problem;
    }
  }

  /** All or nothing. */
  #use(files: Files, server: HttpServer, log: Logger): void {
    const [trust, tls] = [trustOf(files, this.#options), tlsOf(files)];
    if (tls !== undefined && server instanceof Server) {
      createSecureContext(tls);
      server.setSecureContext(tls);
    }
    [this.#files, this.#trust] = [files, trust];
    log.info('certificates renewed');
  }
}

/** Renews the certificates of a server while it runs. Returns what ends that. */
export function keepRenewed(certificates: Certificates, server: HttpServer, log: Logger): () => void {
  let isRenewing = false;
  const renew = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    await certificates.renew(server, log);
    isRenewing = false;
  };
  const timer = setInterval(() => void renew(), EVERY_MS).unref();
  return () => clearInterval(timer);
}
