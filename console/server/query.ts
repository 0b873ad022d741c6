import type { FastifyRequest } from 'fastify';
import type { QueryString } from '../shared/list-query.js';

/** What the schemas of fastify call unknown is what the URL says. */
export function queryOf({ query }: Pick<FastifyRequest, 'query'>): QueryString {
  return query as QueryString;
}
