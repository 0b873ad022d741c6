import { describe } from '@jest/globals';
import { getContainerRuntimeClient } from 'testcontainers';

/** `KEY=VALUE`, by which jest's global teardown finds what this run made; empty where no engine answers. */
const [labelKey = '', labelValue = ''] = (process.env['FAIRLEAD_TEST_DOCKER'] ?? '').split('=');

/** A suite that needs a Docker engine; test/support/docker.cjs says aloud why where it is skipped. */
export const describeWithDocker = labelKey === '' ? describe.skip : describe;

/** Goes onto every container, network and image. */
export const LABELS: Readonly<Record<string, string>> = { [labelKey]: labelValue };

/** A name in the engine that no other run uses. */
export function nameOfRun(name: string): string {
  return `fairlead-${name}:run-${labelValue}`;
}

/** Docker's API itself, for what testcontainers leaves out. */
export async function dockerApi(): Promise<
  Awaited<ReturnType<typeof getContainerRuntimeClient>>['container']['dockerode']
> {
  return (await getContainerRuntimeClient()).container.dockerode;
}
