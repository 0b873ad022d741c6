import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { Agent, request } from 'undici';
import { selfSignedCertificate } from './certificate.js';

/** The client that tokens are for, and the one that asks for them. */
export const CLIENT_ID = 'fairlead';
export const SUBJECT = 'tester';
const SECRET = 'secret of the tester';
const RESOURCE = 'https://fairlead.example.org';

export interface SigningKey {
  readonly id: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface OidcServer {
  readonly issuer: string;
  /** PEM. */
  readonly ca: string;
  readonly key: SigningKey;
  /** How often its keys were asked for. */
  keysAsked(): number;
  /** A token that the server made, with these claims besides its own. */
  token(claims?: Record<string, unknown>): Promise<string>;
  /** From now on, it has this key only. */
  rotate(to: SigningKey): void;
  stop(): Promise<void>;
}

export async function signingKey(id: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { id, privateKey, jwk: { ...(await exportJWK(privateKey)), kid: id, alg: 'RS256', use: 'sig' } };
}

/** A token as the server makes it, of any claims, signed with any key. */
export function signed(key: SigningKey, claims: JWTPayload, kid: string | undefined = key.id): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...(kid !== '' && { kid }) }).sign(key.privateKey);
}

/** Nothing of what it does has to be kept. */
class NoStorage {
  upsert(): Promise<void> {
    return Promise.resolve();
  }

  find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

/** Of one key; tokens have these claims, too. */
function providerOf(issuer: string, { jwk }: SigningKey, claimsOf: () => Record<string, unknown>): RequestListener {
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: SUBJECT, client_secret: SECRET, grant_types: ['client_credentials'] },
        ...{ redirect_uris: [], response_types: [] },
      },
    ],
    adapter: NoStorage,
    ttl: { ClientCredentials: 600 },
    jwks: { keys: [jwk] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: () => ({
          ...{ scope: '', audience: CLIENT_ID, accessTokenFormat: 'jwt', accessTokenTTL: 600 },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: claimsOf,
  });
  return provider.callback();
}

/** An OpenID Connect provider on loopback, by TLS. */
export async function startOidcServer(): Promise<OidcServer> {
  const certificate = selfSignedCertificate('localhost', 'providers');
  let [claims, asked]: [Record<string, unknown>, number] = [{}, 0];
  let answer: RequestListener = () => undefined;
  const server = createServer(certificate, (incoming, response) => {
    if (incoming.url === '/jwks') asked += 1;
    answer(incoming, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a string.
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const key = await signingKey('first');
  const rotate = (to: SigningKey): void => {
    answer = providerOf(issuer, to, () => claims);
  };
  rotate(key);
  const agent = new Agent({ connect: { ca: certificate.cert } });
  return {
    ...{ issuer, ca: certificate.cert, key, rotate },
    keysAsked: () => asked,
    token: async (wanted = {}) => {
      claims = wanted;
      const authorization = `Basic ${Buffer.from(`${SUBJECT}:${encodeURIComponent(SECRET)}`).toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const body = 'grant_type=client_credentials';
      const reply = await request(`${issuer}/token`, { method: 'POST', headers, body, dispatcher: agent });
      const { access_token: token } = (await reply.body.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`no token: HTTP ${reply.statusCode}`);
      return token;
    },
    stop: async () => {
      await agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
