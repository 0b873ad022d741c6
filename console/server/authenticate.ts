import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { tokenReviewResource, type UserInfo } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { claimOf } from '../shared/proxy-headers.js';
import { sessionToken } from '../shared/session.js';
import { Refusal } from '../shared/refusal.js';
import { Answers } from './answers.js';
import type { Oidc } from './oidc.js';
import { commonName, includesAddress, peerCertificate, userOfCertificate } from './peers.js';
import { Questions } from './questions.js';

/** Whom to believe what. */
export interface Trust {
  /** Who shows a certificate of one of these is the user that it names. */
  readonly clientIssuers: readonly X509Certificate[];
  /** Proxies with a certificate of one of these say who the user is, */
  readonly proxyIssuers: readonly X509Certificate[];
  /** if it has one of these names; all by default. */
  readonly proxyNames: readonly string[];
  /** Proxies at these addresses do, too. */
  readonly proxyAddresses: BlockList;
}

export interface Authenticator {
  /** Who asks. Throws a Refusal (401) if nobody can tell. */
  identify(request: IncomingMessage): Promise<UserInfo>;
  /** Who has this token. Throws a Refusal (401) if the API server does not accept it. */
  userOf(token: string): Promise<UserInfo>;
  /** True if the request comes from a proxy that may say who asks. */
  isFromProxy(request: IncomingMessage): boolean;
}

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string };
  readonly status?: { readonly authenticated?: boolean; readonly user?: UserInfo };
}

const KEEP_MS = 5_000;
/** A token that was accepted counts this much longer while it is reviewed again, so that nobody waits for that. */
const STALE_MS = 5_000;
const QUESTIONS = { atOnce: 32, mostWaiting: 500 };
const REVIEW_LIMIT_MS = 10_000;
const BEARER = /^Bearer +([\x21-\x7e]{1,16384})$/i;
/** An answer names the user with all of his groups. */
const MOST_TOKENS = 2_000;

function unauthenticated(problem: string): Refusal {
  return new Refusal(401, problem);
}

async function reviewed(kube: Kube, token: string): Promise<UserInfo | undefined> {
  const { kind } = tokenReviewResource;
  const review: TokenReview = {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind, metadata: { name: '' } },
    spec: { token },
  };
  const { status } = await kube.create(tokenReviewResource, review, { timeoutMs: REVIEW_LIMIT_MS });
  const username = status?.user?.username ?? '';
  return status?.authenticated === true && username !== '' ? status.user : undefined;
}

function isProxy({ socket }: IncomingMessage, trust: Trust): boolean {
  if (includesAddress(trust.proxyAddresses, socket.remoteAddress)) return true;
  const certificate = peerCertificate(socket, trust.proxyIssuers);
  if (certificate === undefined) return false;
  const { proxyNames } = trust;
  return proxyNames.length === 0 || proxyNames.includes(commonName(certificate) ?? '');
}

function tokenOf({ headersDistinct, socket }: IncomingMessage): string | undefined {
  const { authorization, ...headers } = headersDistinct;
  const session = sessionToken(headers, socket instanceof TLSSocket);
  const values = authorization ?? (session === undefined ? [] : [`Bearer ${session}`]);
  if (values.length === 0) return undefined;
  const token = values.length === 1 ? BEARER.exec(values[0] ?? '')?.[1] : undefined;
  if (token === undefined) throw unauthenticated('authorization is no bearer token');
  return token;
}

/**
 * In this order: a trusted proxy, whose headers nobody else may send; a client certificate; a bearer token, or the one of
 * a session of the dashboard, which the provider of OIDC signed or else the API server knows. From others, such headers mean nothing. `trust` is asked
 * for each request, as its authorities may be renewed.
 */
export function createAuthenticator(kube: Kube, trust: () => Trust, oidc?: Oidc): Authenticator {
  const questions = new Questions(QUESTIONS);
  const reviews = new Answers({
    ask: (token: string) => questions.ask(() => reviewed(kube, token)),
    ...{ keepMs: KEEP_MS, most: MOST_TOKENS },
    staleMs: (user) => (user === undefined ? 0 : STALE_MS),
  });
  const isFromProxy = (request: IncomingMessage): boolean => isProxy(request, trust());
  const userOf = async (token: string): Promise<UserInfo> => {
    if (oidc?.claims(token) === true) return oidc.identify(token);
    const user = await reviews.to(token);
    if (user === undefined) throw unauthenticated('the token is not valid, or no longer');
    return user;
  };
  const identify = async (request: IncomingMessage): Promise<UserInfo> => {
    const claim = isFromProxy(request) ? claimOf(request.headersDistinct) : undefined;
    if (claim !== undefined) {
      if ('problem' in claim) throw unauthenticated(claim.problem);
      return claim.user;
    }
    const certificate = peerCertificate(request.socket, trust().clientIssuers);
    const certified = certificate === undefined ? undefined : userOfCertificate(certificate);
    if (certified !== undefined) return certified;
    const token = tokenOf(request);
    if (token === undefined) throw unauthenticated('no credential was sent');
    return userOf(token);
  };
  return { identify, userOf, isFromProxy };
}
