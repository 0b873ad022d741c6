import type { Command } from 'commander';
import { VERBS } from '#cli/verbs.js';

function add(all: Map<string, Command>, command: Command, path: string): void {
  if (command.commands.length === 0) all.set(path, command);
  for (const part of command.commands) add(all, part, `${path} ${part.name()}`);
}

/** All verbs as they are typed, e.g. `rollout approve`. */
export async function everyVerb(): Promise<ReadonlyMap<string, Command>> {
  const all = new Map<string, Command>();
  // One after the other: jest cannot import the same modules twice at once.
  for (const { name, load } of VERBS) add(all, await load(), name);
  return all;
}
