import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { UserInfo } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Template } from '#api/v1alpha1/template.js';
import type { Change } from '#runtime/controller.js';
import { printJson } from '#lib/json/lossless-json.js';
import { admit } from '../../shared/admission.js';
import { Changes, type ChangesLimits, type Notice, type Subject } from '../../shared/changes.js';
import { templateItem } from '../../shared/template-item.js';
import { mayDo } from '../readable.js';
import type { TemplateRoutes } from '../templates.js';
import { untilRefused } from '../until-refused.js';
import { mayListIn, type Place } from '../visible.js';
import { printedItem } from './printed-item.js';
import { V1_ROUTES } from './schemas.js';

/** How much streams may cost. */
export interface StreamLimits {
  /** Of what is kept for readers who come back. */
  readonly changes: ChangesLimits;
  /** Milliseconds between two signs of life, and those after which a reader has to say again who he is. */
  readonly heartbeatMs: number;
  readonly lifetimeMs: number;
  /** What waits for one reader, in changes and in characters: who is slower is let go. */
  readonly waiting: ChangesLimits;
  readonly perUser: number;
  readonly total: number;
}

const LIMITS: StreamLimits = {
  ...{ changes: { most: 5_000, characters: 16_777_216 }, waiting: { most: 5_000, characters: 262_144 } },
  ...{ heartbeatMs: 15_000, lifetimeMs: 600_000, perUser: 10, total: 500 },
};
/** Milliseconds in which a reader may take what the last event says. */
const FAREWELL_MS = 2_000;

interface Reader {
  /** As he was identified last. */
  user: UserInfo;
  readonly identifyAgain: () => Promise<UserInfo>;
  /** Only changes in this namespace; undefined: in all where he may list. */
  readonly namespace: string | undefined;
  readonly response: ServerResponse;
  readonly untilMs: number;
  /** One change after the other: each asks whether he may see it. */
  readonly queue: Notice[];
  isBusy: boolean;
}

/** `data` is JSON, which has no line breaks. */
function eventOf(name: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`;
}

/** Who may list sees the same as in a list; of what is gone, only which one it was. */
function applicationData({ type, object }: Change<Application>): string {
  const { name, namespace, uid } = object.metadata;
  return type === 'deleted' ? printJson({ namespace, name, uid }) : printedItem(object);
}

function templateData({ type, object }: Change<Template>): string {
  const { kind, metadata } = object;
  const { name, namespace, uid } = metadata;
  return printJson(type === 'deleted' ? { kind, namespace, name, uid } : templateItem(object));
}

const TEMPLATE_EVENTS = { added: 'template-added', updated: 'template-updated', deleted: 'template-deleted' } as const;

/** All readers of one server. */
class Streams {
  readonly #routes: TemplateRoutes;
  readonly #limits: StreamLimits;
  readonly #recheckMs: number;
  readonly #changes: Changes;
  readonly #readers = new Set<Reader>();

  constructor(routes: TemplateRoutes, limits: StreamLimits, recheckMs: number) {
    this.#routes = routes;
    this.#limits = limits;
    this.#recheckMs = recheckMs;
    this.#changes = new Changes(randomBytes(6).toString('hex'), limits.changes);
    routes.applications.onChange((change) => {
      const { namespace = '' } = change.object.metadata;
      const textOf = (id: string): string => eventOf(change.type, applicationData(change), id);
      this.#announce({ type: applicationResource, namespace }, textOf);
    });
    for (const cache of routes.templates) {
      cache.onChange((change) => {
        const { namespace = '', name } = change.object.metadata;
        const textOf = (id: string): string => eventOf(TEMPLATE_EVENTS[change.type], templateData(change), id);
        this.#announce({ type: cache.type, namespace, name }, textOf);
      });
    }
  }

  #announce(...change: Parameters<Changes['add']>): void {
    const notice = this.#changes.add(...change);
    for (const reader of this.#readers) this.#enqueue(reader, notice);
  }

  /** Throws a Refusal (429) if the user, or all users together, have too many. */
  admit({ username }: UserInfo): void {
    admit(
      [...this.#readers].map(({ user }) => user.username),
      username,
      { ...this.#limits, what: 'streams' },
    );
  }

  /** `lastId`: where he was before; empty for a new reader. */
  add(given: Pick<Reader, 'user' | 'identifyAgain' | 'namespace' | 'response'>, lastId: string): void {
    // Of who is gone already, no event says it.
    if (given.response.closed) return;
    const untilMs = performance.now() + this.#limits.lifetimeMs;
    const reader: Reader = { ...given, untilMs, queue: [], isBusy: false };
    this.#readers.add(reader);
    reader.response.on('close', () => this.#readers.delete(reader));
    void this.#whileKnown(reader);
    const missed = lastId === '' ? [] : this.#changes.since(lastId);
    const first = missed?.length === 0 || missed === undefined ? this.#changes.newest : lastId;
    this.#write(reader, eventOf(missed === undefined ? 'reset' : 'ready', '{}', first));
    for (const notice of missed ?? []) this.#enqueue(reader, notice);
  }

  beat(): void {
    for (const reader of this.#readers) {
      if (performance.now() > reader.untilMs) this.#close(reader, 'its time is over: read on with Last-Event-ID');
      else this.#write(reader, ': still here\n\n');
    }
  }

  end(): void {
    for (const reader of this.#readers) this.#close(reader, 'the server is stopping');
  }

  async #whileKnown(reader: Reader): Promise<void> {
    const gone = new AbortController();
    reader.response.on('close', () => gone.abort());
    const check = async (): Promise<void> => {
      reader.user = await reader.identifyAgain();
    };
    const why = await untilRefused(check, { signal: gone.signal, everyMs: this.#recheckMs });
    if (why !== undefined)
      this.#close(reader, 'the user could not be authenticated again: sign in, and reconnect with Last-Event-ID');
  }

  #enqueue(reader: Reader, notice: Notice): void {
    if (reader.namespace !== undefined && reader.namespace !== notice.subject.namespace) return;
    reader.queue.push(notice);
    if (reader.queue.length > this.#limits.waiting.most) this.#close(reader, 'too slow: read on with Last-Event-ID');
    else if (!reader.isBusy) void this.#send(reader);
  }

  /** The right is asked for at the time of each change, so that one that is taken away is gone here, too. */
  async #send(reader: Reader): Promise<void> {
    reader.isBusy = true;
    try {
      for (let notice = reader.queue.shift(); notice !== undefined; notice = reader.queue.shift()) {
        const maySee = await this.#maySee(reader.user, notice.subject);
        if (!this.#readers.has(reader)) return;
        if (maySee) this.#write(reader, notice.text);
      }
    } catch {
      this.#close(reader, 'nobody can say what he may see: read on with Last-Event-ID');
    } finally {
      reader.isBusy = false;
    }
  }

  async #maySee(user: UserInfo, { type, namespace, name }: Subject): Promise<boolean> {
    const asked = { type, access: this.#routes.access };
    if (await mayDo(asked, user, 'list', {})) return true;
    if (await mayDo(asked, user, 'list', { namespace })) return true;
    return name !== undefined && mayDo(asked, user, 'get', { namespace, name });
  }

  #write(reader: Reader, text: string): void {
    const { response } = reader;
    // One change is never too long by itself.
    const waiting = response.writableLength;
    if (waiting > this.#limits.waiting.characters) this.#close(reader, 'too slow: read on with Last-Event-ID');
    else response.write(text);
  }

  /** He comes back with the last id that he got. */
  #close(reader: Reader, reason: string): void {
    const { response } = reader;
    this.#readers.delete(reader);
    reader.queue.length = 0;
    response.end(eventOf('close', printJson({ reason })));
    // Who reads nothing would keep what is written to him for ever.
    setTimeout(() => response.destroy(), FAREWELL_MS).unref();
  }
}

const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

function lastIdOf({ headers }: FastifyRequest): string {
  return [headers['last-event-id'] ?? ''].flat().join(',');
}

interface StreamSettings extends Partial<StreamLimits> {
  /** Milliseconds after which the server looks again whether it still knows a reader. */
  readonly recheckMs: number;
}

/** Changes of Applications and of templates as server-sent events. */
export function addStream(
  app: FastifyInstance,
  routes: TemplateRoutes,
  { recheckMs, ...limits }: StreamSettings,
): void {
  const all = { ...LIMITS, ...limits };
  const streams = new Streams(routes, all, recheckMs);
  const beating = setInterval(() => streams.beat(), all.heartbeatMs).unref();
  app.addHook('preClose', (done) => {
    clearInterval(beating);
    streams.end();
    done();
  });
  const open = (request: FastifyRequest, reply: FastifyReply, namespace: string | undefined): void => {
    streams.admit(request.user);
    reply.hijack();
    // The connection ends with the stream, so that a shutdown waits for nobody.
    reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS, connection: 'close' });
    const { user, identifyAgain } = request;
    streams.add({ user, identifyAgain, namespace, response: reply.raw }, lastIdOf(request));
  };
  const options = { exposeHeadRoute: false };
  app.get('/changes', { ...options, schema: V1_ROUTES.everywhere.changes }, (request, reply) => {
    open(request, reply, undefined);
  });
  app.get(
    '/namespaces/:namespace/changes',
    { ...options, schema: V1_ROUTES.inNamespace.changes },
    async (request, reply) => {
      // The schema of the route has checked it.
      const { namespace } = request.params as Place;
      await mayListIn(routes, request.user, namespace);
      open(request, reply, namespace);
    },
  );
}
