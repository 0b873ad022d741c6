import { Command } from 'commander';
import { diffCommand } from './template/diff.js';
import { saveCommand } from './template/save.js';
import { shareCommand } from './template/share.js';
import { listCommand, showCommand } from './template/show.js';
import { useCommand } from './template/use.js';

/** `fairlead template`: the templates of both kinds, and what uses them. */
export function templateCommand(): Command {
  const command = new Command('template').description('Show, compare, save, use and share templates.');
  for (const part of [listCommand(), showCommand(), diffCommand(), saveCommand(), useCommand(), shareCommand()])
    command.addCommand(part);
  return command;
}
