import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from '../authenticate.js';
import { answerFailures } from '../errors.js';
import { takesGzip, otherUserProblem, PAGE_HEADER, USER_HEADER } from '../../shared/request-headers.js';
import { isMissingPage, LOGIN_PAGE, PAGES } from '../../shared/pages.js';
import { Refusal } from '../../shared/refusal.js';
import type { OneTimeLogins } from '../one-time-logins.js';
import { endedBy, openedBy } from '../../shared/session.js';
import type { DashboardFile, DashboardFiles } from './files.js';

export interface DashboardOptions {
  readonly dashboard: DashboardFiles;
  readonly authenticator: Authenticator;
  /** Absent: nobody is signed in by a link. */
  readonly oneTimeLogins?: OneTimeLogins | undefined;
  readonly log: Logger;
}

/** Scripts and styles of this server only, and nobody frames the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const FOR_EVER = 'public, max-age=31536000, immutable';
const BEARER = /^Bearer +(.*)$/i;
const PUBLIC = { schema: { hide: true }, config: { isPublic: true } };
/** A body of somebody whom nobody knows yet is read: a code is the longest. */
const UNASKED = { ...PUBLIC, bodyLimit: 1_024 };

function send(request: FastifyRequest, reply: FastifyReply, { type, body, gzipped }: DashboardFile): FastifyReply {
  reply.type(type).header('content-security-policy', POLICY).header('vary', 'accept-encoding');
  return takesGzip(request.headers['accept-encoding'])
    ? reply.header('content-encoding', 'gzip').send(gzipped)
    : reply.send(body);
}

function addFiles(app: FastifyInstance, { page, assets }: DashboardFiles): void {
  for (const path of [...Object.values(PAGES), LOGIN_PAGE]) {
    app.get(path, PUBLIC, (request, reply) => send(request, reply.header('cache-control', 'no-cache'), page));
  }
  app.get('/assets/:name', PUBLIC, (request, reply) => {
    const { name } = request.params as { name: string };
    const file = assets.get(name);
    if (file === undefined) throw new Refusal(404, 'not found');
    return send(request, reply.header('cache-control', FOR_EVER), file);
  });
}

/** True if a browser asks for a page that is none: the answer is the same for everybody, as that of each page. */
export function asksForNoPage({ is404, method, url, headers }: FastifyRequest): boolean {
  const [path = ''] = url.split('?', 1);
  return is404 && ['GET', 'HEAD'].includes(method) && isMissingPage(path, headers.accept);
}

/** The page, which says that there is no such page; no cache keeps it for somebody who wants no page. */
export function sendNoPage(request: FastifyRequest, reply: FastifyReply, { page }: DashboardFiles): FastifyReply {
  return send(request, reply.code(404).header('cache-control', 'no-store'), page);
}

/** Other sites can make a browser send a form, but not this header. */
function refuseOtherSites(request: FastifyRequest): void {
  if (request.headers[PAGE_HEADER] === undefined) throw new Refusal(403, `the header ${PAGE_HEADER} is missing`);
}

/** A page of one user does not sign another one out. Whoever cannot be told may leave. */
async function refuseOthers({ headers, raw }: FastifyRequest, authenticator: Authenticator): Promise<void> {
  if (headers[USER_HEADER] === undefined) return;
  const user = await authenticator.identify(raw).catch(() => undefined);
  const problem = user === undefined ? undefined : otherUserProblem(raw.headersDistinct, user.username);
  if (problem !== undefined) throw new Refusal(401, problem);
}

function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}

/** From now on a cookie stands for the token. */
function begin(request: FastifyRequest, reply: FastifyReply, token: string | undefined): FastifyReply {
  const cookie = token === undefined ? undefined : openedBy(token, isSecure(request));
  if (cookie === undefined) throw new Refusal(400, 'the token is too long for a cookie: sign in with another one');
  return reply.header('set-cookie', cookie).header('cache-control', 'no-store').send({ user: request.user.username });
}

/** Who signs in sends the token once, as any request has it. */
function addSession(app: FastifyInstance, { authenticator }: DashboardOptions): void {
  app.get('/session', PUBLIC, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const { username } = await authenticator.identify(request.raw);
    return { user: username };
  });
  app.post('/session', UNASKED, async (request, reply) => {
    refuseOtherSites(request);
    request.user = await authenticator.identify(request.raw);
    return begin(request, reply, BEARER.exec(request.headers.authorization ?? '')?.[1]);
  });
  app.delete('/session', UNASKED, async (request, reply) => {
    refuseOtherSites(request);
    await refuseOthers(request, authenticator);
    return reply
      .code(204)
      .header('set-cookie', endedBy(isSecure(request)))
      .send();
  });
}

/** Who opens a link to the page of logins has its code in the fragment, which only the script of that page sends. */
function addOneTimeLogin(app: FastifyInstance, { authenticator, oneTimeLogins }: DashboardOptions): void {
  app.post('/session/one-time', UNASKED, async (request, reply) => {
    refuseOtherSites(request);
    if (oneTimeLogins === undefined) throw new Refusal(404, 'this server signs nobody in by a link');
    const { code } = (request.body ?? {}) as { code?: unknown };
    // A code is used up when the API server knows its user, and not if it cannot be asked.
    request.user = await authenticator.userOf(oneTimeLogins.tokenOf(code));
    return begin(request, reply, oneTimeLogins.use(code));
  });
}

/** The pages, which are the same for everybody, and the sessions of those who sign in there. */
export function addDashboard(app: FastifyInstance, options: DashboardOptions): void {
  answerFailures(app, options.log, 'status');
  addFiles(app, options.dashboard);
  addSession(app, options);
  addOneTimeLogin(app, options);
}
