import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import Compile from 'typebox/compile';
import type Type from 'typebox';
import type { UserInfo } from '#api/core.js';
import type { ObjectRef } from '#api/meta.js';
import { GITOPS_GROUP } from '#api/v1alpha1/labels.js';
import { defined } from '#lib/plain.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { isDeeperThan, MAX_DEPTH } from '#lib/json/nesting.js';
import { foreignPageProblem, isForm, otherUserProblem } from '../shared/request-headers.js';
import { Refusal } from '../shared/refusal.js';
import { addApplications } from './applications.js';
import type { Authenticator } from './authenticate.js';
import type { DashboardFiles } from './dashboard/files.js';
import { addDashboard, asksForNoPage, sendNoPage } from './dashboard/routes.js';
import { addClusters } from './clusters.js';
import { answerErrors } from './errors.js';
import type { OneTimeLogins } from './one-time-logins.js';
import { queryOf, SHARED } from './schemas.js';
import { addV1, type V1Options } from './v1/routes.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks. */
    user: UserInfo;
    /** Who asks, as the same request would be taken now. Throws a Refusal (401) if it is nobody any more, or somebody else. */
    identifyAgain: () => Promise<UserInfo>;
    /** What it changes, if the path does not say it. */
    changed: ObjectRef | undefined;
    /** What it annotates instead of the object of the path. */
    annotated: string | undefined;
  }
  interface FastifyContextConfig {
    /** True: the answer is the same for everybody, or the route identifies by itself. */
    isPublic?: boolean;
    /** True: it is no change, whatever its method is. */
    writesNothing?: boolean;
  }
}

export interface ServerOptions extends V1Options {
  readonly authenticator: Authenticator;
  readonly dashboard: DashboardFiles;
  /** Absent: nobody is signed in by a link. */
  readonly oneTimeLogins?: OneTimeLogins | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: SecureContextOptions | undefined;
  /** Name of this cluster in `/kapis/clusters/NAME/...`. */
  readonly clusterName: string;
  /** URLs of this server, as browsers see it, besides those that requests name. */
  readonly publicUrls: readonly string[];
  /** Most requests per minute, of a user behind a proxy, and of an address. */
  readonly requestsPerMinute: number;
  readonly version: string;
  /** False until the cache is filled: until then, what is missing there may exist. */
  readonly isReady: () => boolean;
  /** Hears of each answer. */
  readonly observe?: (answered: { route: string; method: string; code: number; seconds: number }) => void;
}

/** An object of Kubernetes has at most 1.5 MiB. */
const MAX_BODY = 2 * 1024 * 1024;
const MAX_HEADERS = 32 * 1024;
const MAX_CONNECTIONS = 1_000;
/** Milliseconds for a request to arrive, and without a byte of it or of its answer. */
const REQUEST_MS = 20_000;
const IDLE_MS = 30_000;
const CHECK_MS = 2_000;
const MOST_COUNTED = 10_000;
const BASES = ['/kapis', '/kapis/clusters/:cluster'].map((base) => `${base}/${GITOPS_GROUP}/v1alpha1`);
/** As other servers log it. */
const NOBODY_WAITED = 499;
const READS = ['GET', 'HEAD', 'OPTIONS'];

function secured({ tls }: ServerOptions): object {
  if (tls === undefined) return {};
  // Who shows no certificate may still have a token, and which authority counts for what is decided per request.
  return { https: { ...tls, requestCert: true, rejectUnauthorized: false } };
}

function bodyOf(text: string): unknown {
  if (text === '') return undefined;
  if (isDeeperThan(text, MAX_DEPTH)) throw new Refusal(400, `the body nests more than ${MAX_DEPTH} lists and maps`);
  return parseJson(text);
}

/** The parts of fastify that must not change what is sent: our JSON loses no digit, and drops no field. */
function keepJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => {
    try {
      done(null, bodyOf(body.toString()));
    } catch (error: unknown) {
      done(error instanceof Refusal ? error : new Refusal(400, 'the body is not JSON'), undefined);
    }
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => {
    if (body === '') done(null, undefined);
    else done(new Refusal(415, 'send application/json'), undefined);
  });
  app.setSerializerCompiler(() => (answer) => printJson(answer));
  app.setValidatorCompiler<Type.TSchema>(({ schema, httpPart }) => {
    if (httpPart !== 'params') return () => true;
    const validator = Compile(schema);
    // No object has such a name.
    return (params) => validator.Check(params) || { error: new Refusal(404, 'not found') };
  });
}

function describe(app: FastifyInstance, { version }: ServerOptions): void {
  for (const schema of SHARED) app.addSchema(schema);
  app.register(swagger, {
    openapi: { info: { title: 'Fairlead', description: 'Applications on many clusters.', version } },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  });
}

/** Of a proxy, all users come from one address. */
function countedAs(request: FastifyRequest, { authenticator }: ServerOptions): string {
  const [user] = request.raw.headersDistinct['x-remote-user'] ?? [];
  return user !== undefined && authenticator.isFromProxy(request.raw) ? `user ${user}` : `address ${request.ip}`;
}

/** Before anybody is identified, which asks the API server. */
async function limit(app: FastifyInstance, options: ServerOptions): Promise<void> {
  await app.register(helmet);
  await app.register(rateLimit, {
    global: false,
    max: options.requestsPerMinute,
    cache: MOST_COUNTED,
    keyGenerator: (request) => countedAs(request, options),
    errorResponseBuilder: (_, { after }) => new Refusal(429, `too many requests: wait ${after}`),
  });
  app.addHook('onRequest', app.rateLimit());
}

/** One line for each change that somebody asked for, whatever became of it. */
function audit(request: FastifyRequest, code: number, log: Logger): void {
  if (READS.includes(request.method) || request.routeOptions.config.writesNothing === true) return;
  const { method, routeOptions, ip, id } = request;
  const { username, groups } = request.user;
  const { dryRun } = queryOf(request);
  const object = request.changed ?? (request.params as object);
  const more = defined({ dryRun, annotated: request.annotated });
  log.info(
    { user: username, groups, method, route: routeOptions.url, object, code, address: ip, id, ...more },
    'change requested',
  );
}

/** When the connection is done with it: who hangs up before the answer, or reads a stream, is heard of as well. */
function account(request: FastifyRequest, reply: FastifyReply, { log, observe }: ServerOptions): void {
  reply.raw.once('close', () => {
    const { method, routeOptions } = request;
    const code = reply.raw.headersSent ? reply.raw.statusCode : NOBODY_WAITED;
    observe?.({ route: routeOptions.url ?? '', method, code, seconds: reply.elapsedTime / 1_000 });
    audit(request, code, log);
  });
}

async function identifiedAgain(
  { raw, user }: FastifyRequest,
  authenticator: Pick<Authenticator, 'identify'>,
): Promise<UserInfo> {
  const now = await authenticator.identify(raw);
  if (now.username === user.username) return now;
  throw new Refusal(401, 'the credential is of somebody else by now');
}

/** Throws a Refusal for a change that a page of another site may have asked for. */
function requireOwnPage({ raw }: FastifyRequest, { authenticator, publicUrls }: ServerOptions): void {
  const { host = [], 'x-forwarded-host': forwarded = [] } = raw.headersDistinct;
  const asForwarded = authenticator.isFromProxy(raw) ? forwarded.flatMap((hosts) => hosts.split(/,\s*/)) : [];
  const problem = foreignPageProblem(raw.headersDistinct, { hosts: [...host, ...asForwarded], publicUrls });
  if (problem !== undefined) throw new Refusal(403, problem);
  if (isForm(raw.headersDistinct)) throw new Refusal(415, 'send application/json');
}

function watchRequests(app: FastifyInstance, options: ServerOptions): void {
  const { authenticator, dashboard, log, isReady } = options;
  app.addHook('onRequest', async (request, reply) => {
    // A browser sends a certificate on behalf of any page, and a proxy passes on who the user is.
    if (!READS.includes(request.method)) requireOwnPage(request, options);
    if (request.routeOptions.config.isPublic === true || asksForNoPage(request)) return;
    // It is for this user, unless the route says more.
    reply.header('cache-control', 'no-store');
    if (!isReady()) throw new Refusal(503, 'starting: the Applications are not read yet');
    request.user = await authenticator.identify(request.raw);
    const problem = otherUserProblem(request.raw.headersDistinct, request.user.username);
    if (problem !== undefined) throw new Refusal(401, problem);
    request.identifyAgain = () => identifiedAgain(request, authenticator);
  });
  answerErrors(app, log, 'text', (request, reply) =>
    asksForNoPage(request) ? sendNoPage(request, reply, dashboard) : undefined,
  );
}

/** The routes of ks-devops, below the path of this cluster, too, and our own. */
function addRoutes(app: FastifyInstance, options: ServerOptions): void {
  for (const prefix of BASES) {
    app.register(
      (routes, _, done) => {
        routes.addHook('onRequest', (request, _reply, next) => {
          const { cluster } = request.params as { cluster?: string };
          const isOurs = cluster === undefined || cluster === options.clusterName;
          next(isOurs ? undefined : new Refusal(404, `cluster ${JSON.stringify(cluster)} is not served here`));
        });
        addApplications(routes, options);
        addClusters(routes, options.kube);
        done();
      },
      { prefix },
    );
  }
  app.register(
    (routes, _, done) => {
      addV1(routes, options);
      done();
    },
    { prefix: '/api/v1' },
  );
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
}

/** The server, ready to listen. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const limits = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS };
  const http = { maxHeaderSize: MAX_HEADERS, connectionsCheckingInterval: CHECK_MS, ...limits };
  const app: FastifyInstance = fastify({
    bodyLimit: MAX_BODY,
    requestTimeout: REQUEST_MS,
    connectionTimeout: IDLE_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 253 },
    // A path that nobody can read, or with a name that nothing has, is answered before anybody is identified.
    frameworkErrors: (_error, _request, reply) => {
      reply.hijack();
      reply.raw.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('not found\n');
    },
    http,
    ...secured(options),
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.decorateRequest('user');
  app.decorateRequest('identifyAgain');
  app.decorateRequest('changed');
  app.decorateRequest('annotated');
  app.addHook('onRequest', (request, reply, done) => {
    request.user = { username: '' };
    account(request, reply, options);
    done();
  });
  keepJson(app);
  await limit(app, options);
  watchRequests(app, options);
  describe(app, options);
  app.register((pages, _, done) => {
    addDashboard(pages, options);
    done();
  });
  app.register((routes, _, done) => {
    addRoutes(routes, options);
    done();
  });
  await app.ready();
  return app;
}
