import type { Command } from 'commander';

interface Verb {
  readonly name: string;
  readonly description: string;
  /** Imports the verb only when it is the one that runs: the others cost start-up time. */
  readonly load: () => Promise<Command>;
}

/** All verbs, in the order of the help. */
export const VERBS: readonly Verb[] = [
  {
    name: 'demo',
    description: 'Run one Application on five clusters on this machine.',
    load: async () => (await import('./demo.js')).demoCommand(),
  },
  {
    name: 'status',
    description: 'Show the status of Applications, one row per destination.',
    load: async () => (await import('./status.js')).statusCommand(),
  },
  {
    name: 'tree',
    description: 'Show an Application, its releases, their objects and their pods.',
    load: async () => (await import('./tree.js')).treeCommand(),
  },
  {
    name: 'events',
    description: 'Show the events of an Application and of what it deployed.',
    load: async () => (await import('./events.js')).eventsCommand(),
  },
  {
    name: 'logs',
    description: 'Show what the pods of an Application print.',
    load: async () => (await import('./logs.js')).logsCommand(),
  },
  {
    name: 'source',
    description: 'Show sources, their revisions, and what uses them.',
    load: async () => (await import('./source.js')).sourceCommand(),
  },
  {
    name: 'template',
    description: 'Show, compare, save, use and share templates.',
    load: async () => (await import('./template.js')).templateCommand(),
  },
  {
    name: 'clusters',
    description: 'Show the clusters that Applications can be deployed to, and what uses them.',
    load: async () => (await import('./clusters.js')).clustersCommand(),
  },
  {
    name: 'explain',
    description: 'Show where each value of an Application comes from.',
    load: async () => (await import('./explain.js')).explainCommand(),
  },
  {
    name: 'render',
    description: 'Print the releases that the controller would create of files, without a cluster.',
    load: async () => (await import('./render.js')).renderCommand(),
  },
  {
    name: 'diff',
    description: 'Show what a dry run would write, or what differs between two revisions, or between files.',
    load: async () => (await import('./diff.js')).diffCommand(),
  },
  {
    name: 'apply',
    description: 'Apply the objects of files, and wait for their Applications.',
    load: async () => (await import('./apply.js')).applyCommand(),
  },
  {
    name: 'sync',
    description: 'Reconcile an Application, its source and its releases now.',
    load: async () => (await import('./sync.js')).syncCommand(),
  },
  {
    name: 'suspend',
    description: 'Reconcile nothing of an Application; what runs stays.',
    load: async () => (await import('./suspend.js')).suspendCommand(),
  },
  {
    name: 'resume',
    description: 'Reconcile a suspended Application again.',
    load: async () => (await import('./suspend.js')).resumeCommand(),
  },
  {
    name: 'pending',
    description: 'Show the destinations that wait, and for what.',
    load: async () => (await import('./pending.js')).pendingCommand(),
  },
  {
    name: 'history',
    description: 'Show the revisions of an Application, and which clusters have them.',
    load: async () => (await import('./history.js')).historyCommand(),
  },
  {
    name: 'rollout',
    description: 'Approve, pause, resume, retry or abort a rollout.',
    load: async () => (await import('./rollout.js')).rolloutCommand(),
  },
  {
    name: 'rollback',
    description: 'Go back to an earlier revision of an Application, and stay there until it is released.',
    load: async () => (await import('./rollback.js')).rollbackCommand(),
  },
  {
    name: 'install',
    description: 'Install the CRDs and the controller in a cluster.',
    load: async () => (await import('./install.js')).installCommand(),
  },
  {
    name: 'uninstall',
    description: 'Remove the controller from a cluster; what it deployed keeps running.',
    load: async () => (await import('./uninstall.js')).uninstallCommand(),
  },
  {
    name: 'check',
    description: 'Check whether Fairlead works in a cluster, or can be installed there.',
    load: async () => (await import('./check.js')).checkCommand(),
  },
  {
    name: 'completion',
    description: 'Print a script that completes verbs and flags in a shell.',
    load: async () => (await import('./completion.js')).completionCommand(VERBS),
  },
  {
    name: 'version',
    description: 'Show the version of this program and the image of the installed controller.',
    load: async () => (await import('./version.js')).versionCommand(),
  },
  {
    name: 'controller',
    description: 'Run the controllers against a host cluster until SIGTERM.',
    load: async () => (await import('./controller.js')).controllerCommand(),
  },
  {
    name: 'console',
    description: 'Serve the API for the console of KubeSphere until SIGTERM.',
    load: async () => (await import('./console.js')).consoleCommand(),
  },
  {
    name: 'sandbox',
    description: 'Start and stop clusters, Git, Helm and OCI servers on this machine.',
    load: async () => (await import('./sandbox.js')).sandboxCommand(),
  },
];
