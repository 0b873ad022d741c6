import pLimit from 'p-limit';
import { subjectAccessReviewResource, type UserInfo } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { createLru } from '#lib/lru.js';
import { Refusal } from '../shared/refusal.js';
import { Answers, digestKey } from './answers.js';
import type { NamespaceNames } from './namespaces.js';
import { Questions } from './questions.js';

/** What somebody wants to do, in the words of RBAC. */
export interface Deed {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Where somebody may do something. */
export interface Allowed {
  /** Undefined: everywhere. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** The same for the same namespaces. */
  readonly key: string;
}

/** Who may do what, as the API server's authorizers say. */
export interface Access {
  allows(user: UserInfo, deed: Deed): Promise<boolean>;
  /** The same for what is only offered, and asked again when it is done: that it is denied counts for up to a minute. */
  mayOffer(user: UserInfo, deed: Deed): Promise<boolean>;
  /**
   * In which of these namespaces the user may do something. Each is one question to the API server, so that there may
   * not be any number of them. Throws a Refusal (422) if there are too many.
   */
  among(user: UserInfo, deed: Omit<Deed, 'namespace' | 'name'>, names: NamespaceNames): Promise<Allowed>;
  /** For each of these objects, whether the user may do something with it; who may in its namespace is asked first. */
  each(user: UserInfo, deed: Omit<Deed, 'namespace' | 'name'>, objects: readonly Named[]): Promise<readonly boolean[]>;
}

/** An object in a namespace. */
export type Named = Required<Pick<Deed, 'namespace' | 'name'>>;

interface Question {
  readonly user: UserInfo;
  readonly deed: Deed;
}

interface Survey extends Question {
  readonly names: NamespaceNames;
}

interface Selection extends Question {
  readonly objects: readonly Named[];
}

interface AccessReview extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
}

/** A right that is taken away is asked for again after that, */
const KEEP_MS = 3_000;
/** and is gone after this much more, even for the first one who uses it after a while. */
const STALE_MS = 7_000;
/** Most users may read few of many namespaces. That one was added may be seen later than that one is gone. */
const DENIED_MS = 60_000;
/** A time that is always over: nobody was denied it. */
const AT_ONCE = 0;
const REVIEW_LIMIT_MS = 10_000;
const QUESTIONS = { atOnce: 32, mostWaiting: 2_000 };
/** For lists of several namespaces, so that questions for single objects do not wait for all of those. */
const SURVEYED = 16;
/** They are many at a time, and nobody waits for them: those that somebody waits for must not stand behind them. */
const ASKED_AGAIN = 2;
const MOST_NAMESPACES = 1_000;
const MOST_SURVEYS = 1_000;
const MOST_DENIED = 200_000;

export const EVERYWHERE: Allowed = { namespaces: undefined, key: 'everywhere' };

async function reviewed(kube: Kube, { user, deed }: Question): Promise<boolean> {
  const { username, uid, groups, extra } = user;
  const { kind } = subjectAccessReviewResource;
  const review: AccessReview = {
    ...{ apiVersion: 'authorization.k8s.io/v1', kind, metadata: { name: '' } },
    spec: { user: username, uid, groups: withAuthenticated(groups), extra, resourceAttributes: deed },
  };
  const { status } = await kube.create(subjectAccessReviewResource, review, { timeoutMs: REVIEW_LIMIT_MS });
  return status?.allowed === true && status.denied !== true;
}

/** The API server adds this group to everybody whom it lets in, and to whom it is asked to impersonate. */
function withAuthenticated(groups: readonly string[] = []): readonly string[] {
  return groups.includes('system:authenticated') ? groups : [...groups, 'system:authenticated'];
}

const userKeys = new WeakMap<UserInfo, string>();

/** As long as a digest. */
function userKeyOf(user: UserInfo): string {
  const key = userKeys.get(user) ?? digestKey(user);
  userKeys.set(user, key);
  return key;
}

/** Unambiguous: the key of a user is always as long as each other. */
function keyOf({ user, deed }: Question): string {
  return `${userKeyOf(user)}${canonicalJson(deed)}`;
}

class Reviews implements Access {
  readonly #reviews: Answers<Question, boolean>;
  readonly #surveys: Answers<Survey, Allowed>;
  readonly #selections: Answers<Selection, readonly boolean[]>;
  /** Of what somebody may not: when it is asked again, in monotonic milliseconds. */
  readonly #denied = createLru<number>(MOST_DENIED);
  readonly #surveyed = pLimit(SURVEYED);
  readonly #askedAgain = pLimit(ASKED_AGAIN);

  constructor(kube: Kube) {
    const questions = new Questions(QUESTIONS);
    const ask = (question: Question): Promise<boolean> => questions.ask(() => reviewed(kube, question));
    // Who was denied it may have been granted it by now, and waits for it.
    const staleMs = (isAllowed: boolean): number => (isAllowed ? STALE_MS : 0);
    this.#reviews = new Answers({ ask, keepMs: KEEP_MS, keyOf, staleMs });
    const kept = { keepMs: KEEP_MS, staleMs: () => STALE_MS, most: MOST_SURVEYS };
    this.#surveys = new Answers({
      ...kept,
      ask: (survey) => this.#survey(survey),
      keyOf: (survey) => `${keyOf(survey)}${survey.names.key}`,
    });
    this.#selections = new Answers({
      ...kept,
      ask: (selection) => this.#select(selection),
      keyOf: (selection) => `${keyOf(selection)}${digestKey(selection.objects)}`,
    });
  }

  allows(user: UserInfo, deed: Deed): Promise<boolean> {
    return this.#reviews.to({ user, deed });
  }

  mayOffer(user: UserInfo, deed: Deed): Promise<boolean> {
    const question = { user, deed };
    return this.#unlessDenied(question, async (key) => this.#noted(key, await this.#reviews.to(question)));
  }

  among(user: UserInfo, deed: Deed, names: NamespaceNames): Promise<Allowed> {
    return this.#surveys.to({ user, deed, names });
  }

  each(user: UserInfo, deed: Deed, objects: readonly Named[]): Promise<readonly boolean[]> {
    return this.#selections.to({ user, deed, objects });
  }

  async #select({ user, deed, objects }: Selection): Promise<readonly boolean[]> {
    const namespaces = [...new Set(objects.map(({ namespace }) => namespace))];
    const answers = await Promise.all(
      namespaces.map((namespace) => this.#mayIn({ user, deed: { ...deed, namespace } })),
    );
    const open = new Set(namespaces.filter((_, index) => answers[index]));
    const mayOne = ({ namespace, name }: Named): Promise<boolean> =>
      open.has(namespace) ? Promise.resolve(true) : this.#mayIn({ user, deed: { ...deed, namespace, name } });
    return Promise.all(objects.map(mayOne));
  }

  async #survey({ user, deed, names: { all } }: Survey): Promise<Allowed> {
    // Surveys are kept themselves: what they are made of must not be old already.
    if (await this.#reviews.recent({ user, deed })) return EVERYWHERE;
    if (all.length > MOST_NAMESPACES) {
      throw new Refusal(422, 'there are too many namespaces: ask for one, /api/v1/namespaces/NAMESPACE/...');
    }
    const asked = all.map((namespace) => this.#mayIn({ user, deed: { ...deed, namespace } }));
    const answers = await Promise.all(asked);
    const namespaces = all.filter((_, index) => answers[index]);
    return { namespaces: new Set(namespaces), key: digestKey(namespaces) };
  }

  #mayIn(question: Question): Promise<boolean> {
    return this.#unlessDenied(question, (key) => this.#surveyed(() => this.#ask(key, question)));
  }

  async #unlessDenied(question: Question, ask: (key: string) => Promise<boolean>): Promise<boolean> {
    const key = keyOf(question);
    const askAgainMs = this.#denied.get(key) ?? AT_ONCE;
    if (askAgainMs === AT_ONCE) return ask(key);
    if (askAgainMs <= performance.now()) this.#askAgain(key, question);
    return false;
  }

  async #ask(key: string, question: Question): Promise<boolean> {
    return this.#noted(key, await this.#reviews.recent(question));
  }

  #noted(key: string, isAllowed: boolean): boolean {
    this.#denied.set(key, isAllowed ? AT_ONCE : performance.now() + DENIED_MS);
    return isAllowed;
  }

  /** Nobody waits for it: until it is answered, he may not. After a failure it is asked again later. */
  #askAgain(key: string, question: Question): void {
    this.#denied.set(key, performance.now() + DENIED_MS);
    this.#askedAgain(() => this.#ask(key, question)).catch(() => undefined);
  }
}

/** Asks for each user, with all groups and extras, and each deed; an answer counts for some seconds. */
export function createAccess(kube: Kube): Access {
  return new Reviews(kube);
}
