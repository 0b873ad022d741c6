import uniq from 'lodash/uniq.js';
import type { ResourceType } from '#api/meta.js';
import type { Limit } from './snapshot.js';

function typeText({ plural, group }: ResourceType): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function typesOf(limits: readonly Limit[]): string {
  return uniq(limits.map(({ type }) => typeText(type))).join(', ');
}

/** What a user should know of what he may not read, a line for each. Pure. */
export function limitLines(limits: readonly Limit[]): string[] {
  const assumed = limits.filter(({ isAssumed }) => isAssumed === true);
  const [unread, partly] = [
    limits.filter(({ only, isAssumed }) => only === undefined && isAssumed !== true),
    limits.filter(({ only }) => only !== undefined),
  ];
  const wayOut = 'ask an administrator for that right, or to run this command';
  return [
    ...(unread.length === 0
      ? []
      : [`You may not read ${typesOf(unread)}: what depends on them looks as if there were none; ${wayOut}.`]),
    ...(partly.length === 0
      ? []
      : [
          `You may not list ${typesOf(partly)} of all namespaces: those outside of ${partly[0]?.only ?? ''} look as if they did not exist; ${wayOut}.`,
        ]),
    ...(assumed.length === 0
      ? []
      : [`You may not list ${typesOf(assumed)}: those that are named are taken for existing.`]),
  ];
}
