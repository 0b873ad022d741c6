import type { SeenSources } from '#queries/answers/clusters.js';
import { LISTED_SOURCES } from '#queries/answers/words.js';
import type { FastifyInstance } from 'fastify';
import type { UserInfo } from '#api/core.js';
import { SOURCE_RESOURCES } from '#api/flux/source-kinds.js';
import type { ResourceType } from '#api/meta.js';
import { isNotFound } from '#lib/errors.js';
import { isForbidden } from '#queries/host/clusters.js';
import type { SourceObject } from '#queries/views/source-view.js';
import type { Kube, ListQuery } from '#runtime/client/kube.js';
import { Refusal } from '../shared/refusal.js';
import { sourceItems } from '../shared/source-item.js';
import type { Answers } from './answers.js';
import { keptReads } from './kept-reads.js';

interface Question {
  readonly user: UserInfo;
  readonly namespace: string;
}

type Asked = Pick<ListQuery, 'namespace' | 'signal'>;

const MOST_OF_A_KIND = 500;
/** Characters that are kept. */
const MOST_KEPT = 16 * 1024 * 1024;

interface Listed {
  readonly kind: string;
  readonly items: readonly SourceObject[];
  readonly isForbidden: boolean;
  readonly isCut: boolean;
}

async function listed(kube: Kube, type: ResourceType, asked: Asked): Promise<Listed> {
  const { kind } = type;
  const nothing = { kind, items: [], isForbidden: false, isCut: false };
  try {
    const page = await kube.list<SourceObject>(type, { ...asked, limit: MOST_OF_A_KIND });
    // The API server leaves out the kind of the items of a list.
    const items = page.items.map((item) => ({ ...item, kind }));
    return { ...nothing, items, isCut: page.continueToken !== undefined };
  } catch (error: unknown) {
    if (isForbidden(error)) return { ...nothing, isForbidden: true };
    if (isNotFound(error)) return nothing;
    throw error;
  }
}

/** Throws a Refusal (403) if he may list no kind of them. */
async function readAs(own: Kube, { user, namespace }: Question, signal: AbortSignal): Promise<SeenSources> {
  const found = await Promise.all(
    LISTED_SOURCES.map((kind) => listed(own, SOURCE_RESOURCES[kind], { namespace, signal })),
  );
  const unread = found.filter((each) => each.isForbidden).map(({ kind }) => kind);
  if (unread.length === LISTED_SOURCES.length) {
    throw new Refusal(403, `user ${JSON.stringify(user.username)} may not list sources in ${namespace}`);
  }
  return {
    items: sourceItems(found.flatMap(({ items }) => items)),
    unread,
    truncated: found.filter(({ isCut }) => isCut).map(({ kind }) => kind),
  };
}

/** What users may read of sources, read as themselves; asked again after some seconds. */
export class Sources {
  readonly #answers: Answers<Question, SeenSources>;

  constructor(app: Pick<FastifyInstance, 'addHook'>, kube: Kube) {
    this.#answers = keptReads(app, kube, { what: 'reads of sources', most: MOST_KEPT, read: readAs });
  }

  of(question: Question): Promise<SeenSources> {
    return this.#answers.to(question);
  }
}
