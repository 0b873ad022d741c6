import { Command } from 'commander';

interface Verb {
  readonly name: string;
  readonly description: string;
  /** Imports the verb only when it is the one that runs: the others cost start-up time. */
  readonly load: () => Promise<Command>;
}

interface Row {
  /** Describes the verb in the help of the program, and in its own help unless the verb has a longer text. */
  readonly description: string;
  /** Finds what adds to the command of the verb its flags, and what it does. */
  readonly find: () => Promise<(command: Command) => void>;
}

/** All verbs, in the order of the help. */
const ROWS: Readonly<Record<string, Row>> = {
  demo: {
    description: 'Run one Application on five clusters on this machine.',
    find: async () => (await import('./local/demo.js')).demoCommand,
  },
  status: {
    description: 'Show the status of Applications, one row per destination.',
    find: async () => (await import('./status/status.js')).statusCommand,
  },
  tree: {
    description: 'Show an Application, its releases, their objects and their pods.',
    find: async () => (await import('./inspect/tree.js')).treeCommand,
  },
  events: {
    description: 'Show the events of an Application and of what it deployed.',
    find: async () => (await import('./inspect/events.js')).eventsCommand,
  },
  logs: {
    description: 'Show what the pods of an Application print.',
    find: async () => (await import('./inspect/logs.js')).logsCommand,
  },
  source: {
    description: 'Show sources, their revisions, and what uses them.',
    find: async () => (await import('./inspect/source.js')).sourceCommand,
  },
  template: {
    description: 'Show, compare, save, use and share templates.',
    find: async () => (await import('./template/template.js')).templateCommand,
  },
  clusters: {
    description: 'Show the clusters that Applications can be deployed to, and what uses them.',
    find: async () => (await import('./inspect/clusters.js')).clustersCommand,
  },
  explain: {
    description: 'Show where each value of an Application comes from.',
    find: async () => (await import('./inspect/explain.js')).explainCommand,
  },
  render: {
    description: 'Print the releases that the controller would create of files, without a cluster.',
    find: async () => (await import('./render/render.js')).renderCommand,
  },
  diff: {
    description: 'Show what a dry run would write, or what differs between two revisions, or between files.',
    find: async () => (await import('./diff/diff.js')).diffCommand,
  },
  apply: {
    description: 'Apply the objects of files, and wait for their Applications.',
    find: async () => (await import('./change/apply.js')).applyCommand,
  },
  adopt: {
    description: 'Make a HelmRelease or Kustomization part of an Application as it is, without a new release.',
    find: async () => (await import('./change/adopt.js')).adoptCommand,
  },
  sync: {
    description: 'Reconcile an Application, its source and its releases now.',
    find: async () => (await import('./change/sync.js')).syncCommand,
  },
  suspend: {
    description: 'Reconcile nothing of an Application; what runs stays.',
    find: async () => (await import('./change/sync.js')).suspendCommand,
  },
  resume: {
    description: 'Reconcile a suspended Application again.',
    find: async () => (await import('./change/sync.js')).resumeCommand,
  },
  pending: {
    description: 'Show the destinations that wait, and for what.',
    find: async () => (await import('./inspect/pending.js')).pendingCommand,
  },
  history: {
    description: 'Show the revisions of an Application, and which clusters have them.',
    find: async () => (await import('./inspect/history.js')).historyCommand,
  },
  rollout: {
    description: 'Show a rollout, or approve, pause, resume, retry or abort it.',
    find: async () => (await import('./change/rollout.js')).rolloutCommand,
  },
  rollback: {
    description: 'Go back to an earlier revision of an Application, and stay there until it is released.',
    find: async () => (await import('./change/rollout.js')).rollbackCommand,
  },
  install: {
    description: 'Install the CRDs and the controller in a cluster.',
    find: async () => (await import('./install/install.js')).installCommand,
  },
  uninstall: {
    description: 'Remove the controller from a cluster; what it deployed keeps running.',
    find: async () => (await import('./install/uninstall.js')).uninstallCommand,
  },
  check: {
    description: 'Check whether Fairlead works in a cluster, or can be installed there.',
    find: async () => (await import('./install/check.js')).checkCommand,
  },
  completion: {
    description: 'Print a script that completes verbs and flags in a shell.',
    find: async () => {
      const { completionCommand } = await import('./completion.js');
      return (command) => completionCommand(command, VERBS);
    },
  },
  version: {
    description: 'Show the version of this program and the image of the installed controller.',
    find: async () => (await import('./install/version.js')).versionCommand,
  },
  controller: {
    description: 'Run the controllers against a host cluster until SIGTERM.',
    find: async () => (await import('./servers.js')).controllerCommand,
  },
  console: {
    description: 'Serve the API for the console of KubeSphere until SIGTERM.',
    find: async () => (await import('./servers.js')).consoleCommand,
  },
  sandbox: {
    description: 'Start and stop clusters, Git, Helm and OCI servers on this machine.',
    find: async () => (await import('./local/sandbox.js')).sandboxCommand,
  },
};

async function commandOf(name: string, { description, find }: Row): Promise<Command> {
  const command = new Command(name).description(description);
  (await find())(command);
  return command;
}

/** All verbs, in the order of the help. */
export const VERBS: readonly Verb[] = Object.entries(ROWS).map(([name, row]) => ({
  ...{ name, description: row.description },
  load: () => commandOf(name, row),
}));
