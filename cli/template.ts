import { Command } from 'commander';
import { diffCommand } from './template/diff.js';
import { listCommand, showCommand } from './template/show.js';

/** `fairlead template`: the templates of both kinds, and what uses them. */
export function templateCommand(): Command {
  const command = new Command('template').description('Show and compare templates.');
  for (const part of [listCommand(), showCommand(), diffCommand()]) command.addCommand(part);
  return command;
}
