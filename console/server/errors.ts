import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { answerTo, statusOf } from '../shared/error-answer.js';
import { Refusal } from '../shared/refusal.js';

type Form = 'text' | 'status';

/** Answers errors in the form of these routes, and leaves it to others what is not found. */
export function answerFailures(app: FastifyInstance, log: Logger, form: Form): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const answer = answerTo(error, request.routeOptions.bodyLimit);
    const { code, text, isUnexpected } = answer;
    if (isUnexpected) log.error({ err: error, id: request.id }, 'request failed');
    if (code === 401) reply.header('www-authenticate', 'Bearer');
    if (code === 401 || form === 'status') return reply.code(code).send(statusOf(answer));
    return reply.code(code).type('text/plain; charset=utf-8').send(text);
  });
}

/**
 * Answers errors, and paths that nothing is at, in the form of these routes: as text, as the server of ks-devops did,
 * or as a Status of Kubernetes. Who is not known gets a Status from all of them.
 * `instead`: another answer for some paths that nothing is at.
 */
export function answerErrors(
  app: FastifyInstance,
  log: Logger,
  form: Form,
  instead: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined = () => undefined,
): void {
  app.setNotFoundHandler((request, reply) => {
    const answer = instead(request, reply);
    if (answer === undefined) throw new Refusal(404, 'not found');
    return answer;
  });
  answerFailures(app, log, form);
}
