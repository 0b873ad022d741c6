import type { FastifyInstance } from 'fastify';
import { openObject } from '#api/schema.js';
import { applicationSchema } from '../../shared/application-schema.js';
import { answers } from './schemas.js';

const schema = {
  ...answers(openObject('JSON schema.')),
  summary: 'Get the JSON schema of what may be written of an Application',
};

/** It is the same for everybody, and as public as the program. */
export function addApplicationSchema(app: FastifyInstance): void {
  const body = applicationSchema();
  app.get('/schemas/application', { schema }, () => body);
}
