import { subjectAccessReviewResource, type UserInfo } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { Answers } from './answers.js';

/** What somebody wants to do, in the words of RBAC. */
export interface Deed {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Who may do what, as the API server's authorizers say. */
export interface Access {
  allows(user: UserInfo, deed: Deed): Promise<boolean>;
}

interface Question {
  readonly user: UserInfo;
  readonly deed: Deed;
}

interface AccessReview extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
}

/** A right that is taken away is gone after that. */
const KEEP_MS = 3_000;
const REVIEW_LIMIT_MS = 10_000;

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

/** Asks for each user, with all groups and extras, and each deed; an answer counts for some seconds. */
export function createAccess(kube: Kube): Access {
  const reviews = new Answers({ ask: (question: Question) => reviewed(kube, question), keepMs: KEEP_MS });
  return { allows: (user, deed) => reviews.to({ user, deed }) };
}
