import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Template, TemplateRevision } from '#api/v1alpha1/template.js';
import { readTemplateRevisions } from '#queries/host/template-revisions.js';
import type { TemplateRoutes } from '../templates.js';
import { Turns } from '../turns.js';
import { withinBudget } from '../within-budget.js';

/** Each may be as large as a spec is. */
const READS = { perUser: 3, total: 10, what: 'reads of revisions' };
/** Milliseconds until an answer ends. */
const READ_MS = 20_000;

/** Throws a Refusal (429) if too many are under way. */
export type ReadRevisions = (
  request: FastifyRequest,
  reply: FastifyReply,
  template: Template,
) => Promise<TemplateRevision[]>;

/** Revisions are read by the user himself, some at a time. */
export function revisionReader(app: FastifyInstance, { kube }: TemplateRoutes): ReadRevisions {
  const turns = new Turns(app, READS);
  return (request, reply, template) => {
    const signal = turns.begin(request.user, reply.raw, READ_MS);
    return withinBudget(kube, request.user, (own) => readTemplateRevisions(own, template, signal));
  };
}
