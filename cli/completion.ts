import { Argument, Command } from 'commander';
import { GLOBAL_FLAGS } from './command/program-info.js';
import { print } from './output/standard-output.js';

/** The words that may follow one verb, e.g. ` sandbox up`; empty for the program itself. */
export interface CompletionWords {
  /** Each verb with a space before it, so that they can be put together. */
  readonly verb: string;
  readonly words: readonly string[];
  /** The values of flags, by each spelling of the flag; empty where there are not only a few, as for files. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const HELP = '--help';

function spellings({ long, short }: Command['options'][number]): string[] {
  return [long, short].filter((each) => each !== undefined);
}

function valuesOf({ options }: Command): Map<string, readonly string[]> {
  return new Map(
    options.flatMap((option) => {
      const { argChoices = [], required } = option;
      return required ? spellings(option).map((flag) => [flag, argChoices] as const) : [];
    }),
  );
}

/** The words of a command and of those below it, in the order of the help. */
export function completionWords(command: Command, verb = ''): CompletionWords[] {
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const words = [...command.commands.map((each) => each.name()), ...flags, HELP];
  return [
    { verb, words, values: valuesOf(command) },
    ...command.commands.flatMap((each) => completionWords(each, `${verb} ${each.name()}`)),
  ];
}

/** kubectl completes its plugins by a program of their own, `kubectl_complete-NAME`. */
export const SHELLS = ['bash', 'zsh', 'fish', 'kubectl'] as const;
export type Shell = (typeof SHELLS)[number];

/** Patterns and words of each choice: names of verbs, flags and values, none of which any shell reads differently. */
function choicesOf(all: readonly CompletionWords[]): (readonly [pattern: string, words: string])[] {
  return all.flatMap(({ verb, words, values }) => [
    [verb, words.join(' ')] as const,
    ...[...values].map(([flag, choices]) => [`${verb} ${flag}`, choices.join(' ')] as const),
  ]);
}

/** A function for bash and zsh that prints what may follow a verb, or fails if there is no such verb. */
function shellFunction(all: readonly CompletionWords[]): string {
  const cases = choicesOf(all).map(([pattern, words]) => `    '${pattern}') echo '${words}' ;;`);
  return ['_fairlead_words() {', '  case "$1" in', ...cases, '    *) return 1 ;;', '  esac', '}'].join('\n');
}

const BASH_FUNCTION = `_fairlead() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" verb='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != -* ]] && _fairlead_words "$verb $word" > /dev/null; then verb="$verb $word"; fi
  done
  if [[ $previous == -* ]] && _fairlead_words "$verb $previous" > /dev/null; then verb="$verb $previous"; fi
  COMPREPLY=($(compgen -W "$(_fairlead_words "$verb")" -- "$current"))
}`;

const BASH = `${BASH_FUNCTION}
complete -o default -F _fairlead fairlead`;

/** Its arguments are the words after `kubectl fairlead`; the last line says whether files may follow, as cobra does. */
const KUBECTL = `${BASH_FUNCTION}
COMP_WORDS=(fairlead "$@") COMP_CWORD=$# COMPREPLY=()
_fairlead
if [[ \${#COMPREPLY[@]} == 0 ]]; then echo :0; else printf '%s\\n' "\${COMPREPLY[@]}" :4; fi`;

const ZSH = `_fairlead() {
  local verb='' word previous="\${words[CURRENT-1]}"
  for word in \${words[2,CURRENT-1]}; do
    if [[ $word != -* ]] && _fairlead_words "$verb $word" > /dev/null; then verb="$verb $word"; fi
  done
  if [[ $previous == -* ]] && _fairlead_words "$verb $previous" > /dev/null; then verb="$verb $previous"; fi
  compadd -- $(_fairlead_words "$verb") || _files
}
compdef _fairlead fairlead`;

const TAILS = { bash: BASH, zsh: ZSH, kubectl: KUBECTL };
const HEADS = { bash: '', zsh: '#compdef fairlead\n', kubectl: '#!/usr/bin/env bash\n' };

const FISH = `function __fairlead_complete
  set -l verb ''
  set -l typed (commandline -opc)
  for word in $typed[2..-1]
    if not string match -q -- '-*' $word; and __fairlead_words "$verb $word" > /dev/null
      set verb "$verb $word"
    end
  end
  if string match -q -- '-*' $typed[-1]; and __fairlead_words "$verb $typed[-1]" > /dev/null
    set verb "$verb $typed[-1]"
  end
  __fairlead_words "$verb"
end
complete -c fairlead -a '(__fairlead_complete)'`;

function fishFunction(all: readonly CompletionWords[]): string {
  const cases = choicesOf(all).flatMap(([pattern, words]) => [
    `    case '${pattern}'`,
    words === '' ? '      true' : `      printf '%s\\n' ${words}`,
  ]);
  const head = ['function __fairlead_words', '  switch "$argv[1]"'];
  return [...head, ...cases, "    case '*'", '      return 1', '  end', 'end'].join('\n');
}

/** The script that a shell reads to complete what users type. */
export function completionScript(shell: Shell, all: readonly CompletionWords[]): string {
  if (shell === 'fish') return `${fishFunction(all)}\n${FISH}`;
  return `${HEADS[shell]}${shellFunction(all)}\n${TAILS[shell]}`;
}

type Verbs = readonly { readonly load: () => Promise<Command> }[];

/** All verbs with their flags: here, and only here, each of them is loaded. */
async function wholeProgram(verbs: Verbs): Promise<Command> {
  const program = new Command('fairlead');
  for (const flag of GLOBAL_FLAGS) program.option(flag);
  for (const { load } of verbs) program.addCommand(await load());
  return program;
}

/** `fairlead completion`: generated from the verbs themselves. */
export function completionCommand(command: Command, verbs: Verbs): void {
  command
    .addArgument(new Argument('<shell>', 'the shell, or kubectl for the plugin').choices(SHELLS))
    .action(async (shell: Shell) => {
      print(completionScript(shell, completionWords(await wholeProgram(verbs))));
    });
}
