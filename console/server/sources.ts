import pLimit from 'p-limit';
import type { UserInfo } from '#api/core.js';
import { bucketResource } from '#api/flux/bucket.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { ResourceType } from '#api/meta.js';
import type { SourceObject } from '#controllers/read-model/source-view.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { isNotFound } from '#controllers/runtime/pure/errors.js';
import { isForbidden } from '#controllers/host-read/clusters.js';
import { Answers } from './answers.js';
import { Refusal } from './model/refusal.js';
import { sourceItems, type SourceItem } from './model/source-item.js';

/** The sources of a namespace that a user may list. */
export interface SeenSources {
  readonly items: readonly SourceItem[];
  /** Kinds that he may not list. */
  readonly unread: readonly string[];
  /** Kinds of which there are more. */
  readonly truncated: readonly string[];
}

interface Question {
  readonly user: UserInfo;
  readonly namespace: string;
}

const KINDS: readonly ResourceType[] = [
  ...[helmRepositoryResource, ociRepositoryResource, gitRepositoryResource, bucketResource, helmChartResource],
];
const MOST_OF_A_KIND = 500;
/** Tenants write them. */
const MAX_BYTES = 16 * 1024 * 1024;
const KEEP_MS = 5_000;
const MOST_KEPT = 100;
const AT_ONCE = 4;

interface Listed {
  readonly kind: string;
  readonly items: readonly SourceObject[];
  readonly isForbidden: boolean;
  readonly isCut: boolean;
}

async function listed(kube: Kube, type: ResourceType, namespace: string): Promise<Listed> {
  const { kind } = type;
  const nothing = { kind, items: [], isForbidden: false, isCut: false };
  try {
    const page = await kube.list<SourceObject>(type, { namespace, limit: MOST_OF_A_KIND, maxBytes: MAX_BYTES });
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
async function readAs(kube: Kube, { user, namespace }: Question): Promise<SeenSources> {
  const found = await Promise.all(KINDS.map((type) => listed(kube.actingAs(user), type, namespace)));
  const unread = found.filter((each) => each.isForbidden).map(({ kind }) => kind);
  if (unread.length === KINDS.length) {
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

  constructor(kube: Kube) {
    const limit = pLimit(AT_ONCE);
    const ask = (question: Question): Promise<SeenSources> => limit(() => readAs(kube, question));
    this.#answers = new Answers({ ask, keepMs: KEEP_MS, most: MOST_KEPT });
  }

  of(question: Question): Promise<SeenSources> {
    return this.#answers.to(question);
  }
}
