import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { VERBS } from '#cli/verbs.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { CONSOLE_OPTIONS } from '#console/server/options.js';
import type { OptionRow } from '#manager/option-row.js';
import { OPTIONS } from '#manager/options.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
const LIMIT_MS = 240_000;
const SECRET = 'not-for-anybody';

/** A kubeconfig whose server nobody listens at. */
const NOBODY = `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {token: nothing}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
`;

const FILES: Readonly<Record<string, string>> = {
  nobody: NOBODY,
  elsewhere: NOBODY.replace('127.0.0.1:1', 'nowhere.invalid:6443'),
  empty: '',
  binary: '\u0000\u0001\u0002',
  broken: `users: [{name: u, user: {token: ${SECRET}\n  x: [`,
  pod: 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n',
};

/** Settings that are checked together, before anything starts. */
const SETTINGS_OF_THE_CONTROLLER = 'test/apiserver/cli/controller-start.test.ts';

/** The flags of a server that refuse the value `?`: checked here, all at once. */
function refusing(options: readonly OptionRow[]): string[] {
  return options.flatMap(({ flag, parse = String }) => (parse('?') === undefined ? [flag] : []));
}

const REFUSING = Object.entries({ controller: refusing(OPTIONS), console: refusing(CONSOLE_OPTIONS) });

/** The flags of a verb, and of the verbs below it, that take a value: `sandbox up --dir`. */
function flagsWithValue(verb: Command, path = verb.name()): string[] {
  const own = verb.options.filter(({ required, optional }) => required || optional).map(({ long }) => long ?? '');
  return [
    ...own.map((long) => `${path} ${long}`),
    ...verb.commands.flatMap((part) => flagsWithValue(part, `${path} ${part.name()}`)),
  ];
}

const FLAGS: string[] = [];
// One after the other: jest cannot import the same modules twice at once.
for (const { load } of VERBS) FLAGS.push(...flagsWithValue(await load()));

interface Ended {
  readonly code: unknown;
  readonly stderr: string;
}

/** A line, what its message has to say, and the exit code if it is not 1. */
type Row = readonly [line: string, says: RegExp, code?: number];

const WRONG_FILES: readonly Row[] = [
  ['status --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['status --kubeconfig folder', /cannot read kubeconfig folder: .*choose another file with --kubeconfig/],
  ['status --kubeconfig loop', /cannot read kubeconfig loop: .*choose another file with --kubeconfig/],
  ['status --kubeconfig nobody/x', /cannot read kubeconfig nobody.x: .*choose another file with --kubeconfig/],
  ['status --kubeconfig binary', /binary is not a kubeconfig.*choose another file with --kubeconfig/],
  ['status --kubeconfig empty', /empty is not a kubeconfig.*choose another file with --kubeconfig/],
  ['status --kubeconfig broken', /broken is not a kubeconfig.*choose another file with --kubeconfig/],
  ['status --kubeconfig pod', /kubeconfig pod: context \S+ has no cluster; choose one with --context/],
  ['status --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['status --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached: .*choose another cluster with --kubeconfig/],
  ['status --kubeconfig elsewhere', /nowhere\.invalid:6443 cannot be reached: .*choose another cluster/],
  ['console --kubeconfig missing', /cannot read kubeconfig missing/],
  ['console --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['console --tls-cert-file missing', /--tls-cert-file and --tls-key-file: set both or none/],
  ['console --tls-key-file missing', /--tls-cert-file and --tls-key-file: set both or none/],
  ['console --client-ca-file missing', /--client-ca-file: it needs --tls-cert-file/],
  ['console --requestheader-client-ca-file missing', /--requestheader-client-ca-file: it needs --tls-cert-file/],
  ['console --requestheader-allowed-names a', /-allowed-names: it needs --requestheader-client-ca-file/],
  ['console --oidc-client-id a', /--oidc-issuer-url and --oidc-client-id: set both or none/],
  ['console --oidc-username-prefix system:', /--oidc-username-prefix/],
  ['console --oidc-groups-prefix system:', /--oidc-groups-prefix/],
  ['console --oidc-groups-claim a', /--oidc-groups-claim: it needs --oidc-issuer-url/],
  ['console --oidc-ca-file missing', /--oidc-ca-file: it needs --oidc-issuer-url/],
  ['console --oidc-username-claim a --kubeconfig missing', /cannot read kubeconfig missing/],
  ['console --helm-path missing --kubeconfig missing', /cannot read kubeconfig missing/],
  ['install --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached: .*choose another cluster with --kubeconfig/],
  ['install --kubeconfig missing', /cannot read kubeconfig missing/],
  ['uninstall --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached: .*choose another cluster with --kubeconfig/],
  ['uninstall --purge --yes --kubeconfig missing', /cannot read kubeconfig missing/],
  ['check --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached: .*choose another cluster with --kubeconfig/],
  ['check --kubeconfig broken', /broken is not a kubeconfig/],
  ['version --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached/],
  ['controller --health-addr 127.0.0.1:0 --kubeconfig missing', /cannot read kubeconfig missing/],
  ['controller --health-addr 127.0.0.1:0 --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached/],
  ['demo --dir new --kubeconfig nobody', /--kubeconfig nobody: .*127\.0\.0\.1:1 cannot be reached/],
  ['demo --dir new --kubeconfig missing', /cannot read kubeconfig missing/],
  ['demo --dir new --kubeconfig nobody --member-kubeconfig pod', /--member-kubeconfig pod: .*has no cluster/],
  ['demo --dir new --kubeconfig nobody --member-kubeconfig loop', /--member-kubeconfig loop: cannot read kubeconfig/],
  ['demo --dir new --kubeconfig nobody --member-kubeconfig folder', /--member-kubeconfig folder: cannot read/],
  ['demo --dir new --kubeconfig nobody --member-kubeconfig empty', /--member-kubeconfig empty: .*is not a kubeconfig/],
  ['demo --dir empty', /empty cannot be used: .*choose another folder with --dir/],
  ['demo --dir pod/x', /x cannot be used: .*choose another folder with --dir/],
  ['sandbox up --dir loop', /loop cannot be used: .*choose another folder with --dir/],
  ['render -f missing', /cannot read missing: .*choose another file with -f/],
  ['render -f pod --manifests --source app=missing', /cannot read missing: .*choose another path with --source/],
  ['apply -f missing', /cannot read missing: .*choose another file with -f/],
  ['apply -f folder', /there is no object in folder/],
  ['apply -f binary', /binary is not valid YAML/],
  ['apply -f broken', /broken is not valid YAML/],
  ['apply -f empty', /there is no object in empty/],
  ['apply -f nobody', /the Config has no metadata\.name|nobody has no/],
  ['apply -f pod --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  // As kubectl diff: 1 stands for differences.
  ['diff shop --kubeconfig missing', /cannot read kubeconfig missing/, 2],
  ['diff -f missing --from-file pod', /cannot read missing: .*choose another file with -f/, 2],
  ['diff -f pod --from-file missing', /cannot read missing: .*choose another file with --from-file/, 2],
  ['demo --dir new --clean --kubeconfig nobody', /--kubeconfig nobody: .*127\.0\.0\.1:1 cannot be reached/],
];

/** Wrong values of flags that are no files, and flags that do not go together. */
const WRONG_VALUES: readonly Row[] = [
  ['demo --members 1', /--members.* must be a number from 2 to 20/],
  ['demo --members many', /--members.* must be a number from 2 to 20/],
  ['demo --namespace UPPER --kubeconfig nobody', /--namespace.* must be a name of up to 40/],
  ['demo --namespace good', /--namespace requires --kubeconfig/],
  ['demo --member-kubeconfig nobody', /--member-kubeconfig requires --kubeconfig/],
  ['demo --members 3 --kubeconfig nobody', /--members is for a sandbox: .*--member-kubeconfig for each member/],
  ['demo --clean --members 5', /--clean starts no demo, which --members is for/],
  ['demo --clean --download', /--clean starts no demo, which --download is for/],
  ['demo --clean --exit', /--clean starts no demo, which --exit is for/],
  ['demo --dir= --clean', /--dir.* must be a path/],
  ['demo --download=http://example.com', /--download must be the https URL of a mirror/],
  ['sandbox up --download=ftp://mirror.example', /--download must be the https URL of a mirror/],
  ['sandbox down --dir=', /--dir.* must be a path/],
  ['status --output xml', /--output.*table, wide, json, yaml/],
  ['status --wait --timeout soon', /--timeout.* must be a duration/],
  ['status --timeout 5m', /--timeout limits --wait: set --wait, too/],
  ['status --wait --watch', /--wait ends and --watch does not: use only one of the two/],
  ['status Deployment/web', /"Deployment\/web" is neither the name of an Application nor KIND\/NAME; the kinds are/],
  ['status hr/web -A', /-A does not go with KIND\/NAME: name its namespace with -n/],
  ['status hr/web --wait', /--wait is for Applications: use `kubectl wait --for=condition=Ready helmrelease\/web`/],
  ['status ks/apps -n shop --watch', /use `kubectl get kustomization\/apps -n shop --watch`/],
  ['status --wait=ready', /--wait=ready: the state must be Ready/],
  ['status --wait=', /--wait=: the state must be Ready/],
  ['status -A --namespace shop', /-A selects all namespaces and -n one of them: use only one of the two/],
  ['status --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['source --output xml', /--output.*table, wide, json, yaml/],
  ['source --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['source -A --namespace shop', /-A selects all namespaces and -n one of them: use only one of the two/],
  ['source app', /"app" is not KIND\/NAME, e\.g\. GitRepository\/app; the kinds are HelmRepository, GitRepository/],
  ['source GitRepository/a/b', /"GitRepository\/a\/b" is not KIND\/NAME/],
  ['source Deployment/app', /"Deployment\/app" is not KIND\/NAME/],
  ['clusters --output xml', /--output.*table, wide, json, yaml/],
  ['clusters --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['clusters -A --namespace shop', /-A selects all namespaces and -n one of them: use only one of the two/],
  ['clusters --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['clusters --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['source --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['source --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['render -f pod --manifests --source app', /--source.* must be \[KIND\/\[NAMESPACE\/\]\]NAME=PATH, e\.g\./],
  ['render -f pod --manifests --source Chart/app=.', /--source.* the kinds are HelmRepository, GitRepository/],
  ['render -f pod --source app=.', /--source is for --manifests: set --manifests, too/],
  ['render -f pod --manifests --kube-version new', /--kube-version.* must be a version of Kubernetes, e\.g\. 1\.34/],
  ['render -f pod --manifests --api-versions a,,b', /--api-versions.* must be API versions, e\.g\. monitoring/],
  ['render -f pod --manifests --kustomize-path=', /--kustomize-path.* must be a path/],
  [
    'render -f pod --manifests --kustomize-path ./missing',
    /--kustomize-path: .*missing.*; install kustomize 5, or set/,
  ],
  ['adopt', /missing required argument 'kind\/name'/],
  ['adopt web', /must be KIND\/NAME; the kinds are HelmRelease and Kustomization/],
  ['adopt Deployment/web', /must be KIND\/NAME; the kinds are HelmRelease and Kustomization/],
  ['adopt hr/web --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['adopt hr/web --application=', /--application.* must be the name of an object/],
  ['adopt hr/web --timeout 5m', /--timeout limits what --yes waits for: set --yes, too/],
  ['adopt hr/web --yes --timeout soon', /--timeout.* must be a duration/],
  ['adopt hr/web --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['adopt hr/web --context=', /--context.* must be the name of a context/],
  ['explain', /missing required argument 'name'/],
  ['explain shop --output xml', /--output.*table, wide, json, yaml/],
  ['explain shop --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['explain shop --cluster=', /--cluster.* must be the name of a cluster/],
  ['explain shop --helm-path=', /--helm-path.* must be a path/],
  ['explain shop --helm-path ./missing', /--helm-path: .*missing.*; install helm 4, or set --helm-path to where it is/],
  ['explain shop --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['explain shop --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ...['approve', 'pause', 'resume', 'ignore-windows', 'retry', 'abort', 'status'].flatMap((verb): Row[] => [
    [`rollout ${verb} shop --namespace Shop`, /--namespace.* must be the name of a namespace/],
    [`rollout ${verb} shop --kubeconfig missing`, /cannot read kubeconfig missing: .*choose another file with/],
    [`rollout ${verb} shop --context=`, /--context.* must be the name of a context/],
  ]),
  ...['list', 'show web'].flatMap((verb): Row[] => [
    [`template ${verb} --output xml`, /--output.*table, wide, json, yaml/],
    [`template ${verb} --namespace Shop`, /--namespace.* must be the name of a namespace/],
    [`template ${verb} --kubeconfig missing`, /cannot read kubeconfig missing: .*choose another file with/],
    [`template ${verb} --context=`, /--context.* must be the name of a context/],
  ]),
  ['template list -A --namespace shop', /-A selects all namespaces and -n one of them: use only one of the two/],
  ['template show', /missing required argument 'name'/],
  ['template show web --kind Chart', /--kind.*HelmTemplate, KustomizationTemplate/],
  ...['save web', 'use web --as a', 'share web --with a'].flatMap((verb): Row[] => [
    [`template ${verb} --namespace Shop`, /--namespace.* must be the name of a namespace/],
    [`template ${verb} --kind Chart`, /--kind.*HelmTemplate, KustomizationTemplate/],
    [`template ${verb} --kubeconfig missing`, /cannot read kubeconfig missing: .*choose another file with/],
    [`template ${verb} --context=`, /--context.* must be the name of a context/],
  ]),
  ['template save web --as=', /--as.* must be the name of an object/],
  ['template save web --as a --release', /--release ends what a save began, and --as saves once: use only one/],
  ['template use web', /name the Application with --as NAME/],
  ['template use web --as A', /--as.* must be the name of an object/],
  ['template use web --as a --cluster eu', /--cluster.* must be KIND\/NAME; the kinds are Cluster, ClusterProfile/],
  ['template use web --as a --target-namespace Shop', /--target-namespace.* must be the name of a namespace/],
  ['template use a/b/c --as a --kubeconfig nobody', /"a\/b\/c" is not a template reference/],
  ['template share web', /name a namespace: --with NAME, or --without NAME/],
  ['template share web --with Shop', /--with.* must be the name of a namespace/],
  ['template share web --without Shop', /--without.* must be the name of a namespace/],
  ['template share web@1 --with shop', /web@1: all revisions are shared: leave @REVISION out/],
  ['template diff web', /missing required argument 'to'/, 2],
  ['template diff web a --output xml', /--output.*table, wide, json, yaml/, 2],
  ['template diff web a --kind Chart', /--kind.*HelmTemplate, KustomizationTemplate/, 2],
  ['template diff web a --namespace Shop', /--namespace.* must be the name of a namespace/, 2],
  ['template diff web a --kubeconfig missing', /cannot read kubeconfig missing/, 2],
  ['template diff web a --context=', /--context.* must be the name of a context/, 2],
  ...['tree', 'events', 'logs'].flatMap((verb): Row[] => [
    [`${verb} shop --namespace Shop`, /--namespace.* must be the name of a namespace/],
    [`${verb} shop --cluster=`, /--cluster.* must be the name of a cluster/],
    [`${verb} shop --kubeconfig missing`, /cannot read kubeconfig missing: .*choose another file with/],
    [`${verb} shop --context=`, /--context.* must be the name of a context/],
  ]),
  ...['sync', 'suspend', 'resume'].flatMap((verb): Row[] => [
    [`${verb} shop --namespace Shop`, /--namespace.* must be the name of a namespace/],
    [`${verb} shop --kubeconfig missing`, /cannot read kubeconfig missing: .*choose another file with/],
    [`${verb} shop --context=`, /--context.* must be the name of a context/],
  ]),
  ...['sync', 'resume'].flatMap((verb): Row[] => [
    [`${verb} shop --timeout soon`, /--timeout.* must be a duration/],
    [`${verb} shop --timeout 5m`, /--timeout limits --wait: set --wait, too/],
    [`${verb} shop --wait --dry-run`, /--dry-run changes nothing to --wait for/],
  ]),
  ['apply', /name a file with -f/],
  ['apply --filename=', /--filename.* must be a path/],
  ['apply -f pod --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['apply -f pod --context=', /--context.* must be the name of a context/],
  ['apply -f pod --timeout soon', /--timeout.* must be a duration/],
  ['apply -f pod --timeout 5m', /--timeout limits --wait: set --wait, too/],
  ['apply -f pod --wait --server-dry-run', /--server-dry-run applies nothing to --wait for/],
  ['render', /name a file with -f/],
  ['render shop -f pod', /shop: with -f, there is no name: `fairlead render NAME`/],
  ['render shop --manifests', /--manifests has no effect without -f: `fairlead render NAME`/],
  ['render shop --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with/],
  ['render shop --context=', /--context.* must be the name of a context/],
  ['render -f pod --context c', /--context has no effect with -f, which asks no cluster/],
  ['render --filename=', /--filename.* must be a path/],
  ['render -f pod', /there is no Application in pod/],
  ['render -f pod --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['render -f pod --output table', /--output.*yaml, json/],
  ['render -f pod --helm-path=', /--helm-path.* must be a path/],
  [
    'render -f pod --helm-path ./missing',
    /--helm-path: .*missing.*; install helm 4, or set --helm-path to where it is/,
  ],
  ['completion', /missing required argument 'shell'/],
  ['completion tcsh', /'tcsh' is invalid for argument 'shell'.*bash, zsh, fish, kubectl/],
  ['tree', /missing required argument 'name'/],
  ['tree Deployment/web', /"Deployment\/web" is neither the name of an Application nor KIND\/NAME; the kinds are/],
  ['tree hr/web --cluster eu', /--cluster eu selects destinations of an Application: leave it out/],
  ['tree shop --output xml', /--output.*table, wide, json, yaml/],
  ['events shop --output xml', /--output.*table, wide, json, yaml/],
  ['logs shop --pod=', /--pod.* must be a name/],
  ['logs shop --container=', /--container.* must be a name/],
  ['logs shop --tail many', /--tail.* must be a number of lines from 0 to 1000000/],
  ['pending --output xml', /--output.*table, wide, json, yaml/],
  ['pending --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['pending --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['pending --context=', /--context.* must be the name of a context/],
  ['rollback shop --to latest', /--to.* must be the number of a revision/],
  ['rollback shop --to 1 --release', /--release ends a rollback, and --to begins one: use only one of the two/],
  ['rollback shop --cluster=', /--cluster.* must be the name of a cluster/],
  ['rollback shop --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['rollback shop --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['rollback shop --context=', /--context.* must be the name of a context/],
  ...['approve', 'ignore-windows', 'retry', 'abort'].map((verb): Row => [
    `rollout ${verb} shop --revision seven`,
    /--revision.* must be the number or the ID of a revision, e\.g\. 7 or 7-5c2e9a1f/,
  ]),
  ['rollout status shop --output xml', /--output.*table, wide, json, yaml/],
  ['history', /missing required argument 'name'/],
  ['history shop --output xml', /--output.*table, wide, json, yaml/],
  ['history shop --namespace Shop', /--namespace.* must be the name of a namespace/],
  ['history shop --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['history shop --context=', /--context.* must be the name of a context/],
  ['diff shop --output xml', /--output.*table, wide, json, yaml/, 2],
  ['diff shop --from 0', /--from.* must be the number of a revision/, 2],
  ['diff shop --from 1 --to latest', /--to.* must be the number of a revision/, 2],
  ['diff shop --to 1 --kubeconfig nobody', /--to is compared with --from: set --from, too/, 2],
  ['diff helmrelease/shop --from 1 --kubeconfig nobody', /--from is for Applications, which have revisions/, 2],
  [
    'diff',
    /name what to show: `fairlead diff NAME`, `fairlead diff -f FILE`, or `fairlead diff -f NEW --from-file OLD`/,
    2,
  ],
  ['diff -f pod --kubeconfig missing', /cannot read kubeconfig missing/, 2],
  ['diff -f pod --from 1', /--from has no effect with -f and without --from-file: `fairlead diff NAME`/, 2],
  [
    'diff -f pod --from-file pod --context c',
    /--context has no effect with -f and --from-file: `fairlead diff NAME`/,
    2,
  ],
  ['diff --from-file pod', /--from-file has no effect without -f: `fairlead diff NAME`/, 2],
  ['diff shop --cluster=', /--cluster.* must be the name of a cluster/, 2],
  ['diff shop --cluster eu --kubeconfig nobody', /--cluster is for --live: set --live, too/, 2],
  ['diff shop --live --from 1 --kubeconfig nobody', /--live and --from compare different things/, 2],
  ['diff helmrelease/shop --live --kubeconfig nobody', /--live is for Applications/, 2],
  ['diff -f pod --from-file pod --live', /--live has no effect with -f/, 2],
  ['diff -f pod --from-file pod', /there is no Application in pod, pod/, 2],
  ['diff --filename=', /--filename.* must be a path/, 2],
  ['diff -f pod --from-file=', /--from-file.* must be a path/, 2],
  ['diff -f pod --from-file pod --helm-path=', /--helm-path.* must be a path/, 2],
  ['diff -f pod --from-file pod --helm-path ./missing', /--helm-path: .*missing.*; install helm 4/, 2],
  ['diff shop --namespace Shop', /--namespace.* must be the name of a namespace/, 2],
  ['diff shop --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/, 2],
  ['status --context=', /--context.* must be the name of a context/],
  ['install --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['uninstall --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['check --output xml', /--output.*table, wide, json, yaml/],
  ['version --output xml', /--output.*table, wide, json, yaml/],
  ['check --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['version --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['controller --health-addr 127.0.0.1:0 --kubeconfig nobody --context none', /context "none" has no cluster/],
  ['version --client --kubeconfig nobody', /--client asks no cluster, which --kubeconfig is for/],
  ['version --client --context none', /--client asks no cluster, which --context is for/],
  ['uninstall --yes', /--yes answers --purge: set --purge, too/],
  ['install --timeout 5m', /--timeout limits --wait: set --wait, too/],
  ['install --dry-run --wait', /--dry-run installs nothing to --wait for/],
  ['install --crds-only --image x', /--crds-only installs no controller, which --image is for/],
  ['install --flux-namespace flux', /set --replace-flux, too/],
  ['install everything', /too many arguments for 'install'/],
  ['install --profile admin', /--profile.*cluster, tenant/],
  ['install --timeout soon', /--timeout.* must be a duration from 1s to 1h/],
  ['install --image=', /--image.* must be an image/],
  ['install --flux-namespace Flux/System', /--flux-namespace.* must be the name of a namespace/],
  ['sandbox up --members -1', /--members/],
  ['sandbox up --members 21', /--members.* must be a number from 0 to 20/],
  ['sandbox env --dir nowhere', /no sandbox is running in nowhere: start one with/],
  ['nothing', /unknown command 'nothing'/],
  ['status --nothing', /unknown option '--nothing'/],
];

describe('the command line with wrong input', () => {
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-flags-'));
    await mkdir(path.join(dir, 'folder'));
    // As a file that nobody may read: tests may run as root.
    await symlink('loop', path.join(dir, 'loop'));
    for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(dir, name), text);
  });

  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  function ended(line: string): Promise<Ended> {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    const options = { cwd: dir, env, timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const;
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, ...line.split(' ')], options, (error, _, stderr) => {
        resolve({ code: error?.code, stderr });
      });
    });
  }

  /** One line, or two where the second one points to the help. */
  function expectLine({ code, stderr }: Ended, [, says, expected = 1]: Row): void {
    expect({ code, stderr }).toMatchObject({ code: expected });
    const [line = '', ...others] = stderr.trimEnd().split('\n');
    expect(line).toMatch(says);
    expect(['', '(add --help for the usage)']).toContain(others.join('\n'));
    expect(stderr).not.toContain(SECRET);
  }

  it.each(FLAGS)('%s: a wrong value is in a table', async (flag) => {
    const [verb, long] = [flag.slice(0, flag.indexOf(' --')), flag.slice(flag.indexOf('--'))];
    const lines = [...WRONG_FILES, ...WRONG_VALUES].map(([line]) => line);
    const isTried = lines.some((line) => line.startsWith(`${verb} `) && new RegExp(`${long}[ =]`).test(line));
    if (isTried || REFUSING.some(([server, flags]) => server === verb && flags.includes(long.slice(2)))) return;
    expect(verb).toBe('controller');
    expect(await readFile(SETTINGS_OF_THE_CONTROLLER, 'utf8')).toContain(`${long}=`);
  });

  it.each(WRONG_FILES)(
    '%s',
    async (...row) => {
      expectLine(await ended(row[0]), row);
      expect((await readdir(dir)).sort()).toEqual([...Object.keys(FILES), 'folder', 'loop'].sort());
    },
    LIMIT_MS,
  );

  it.each(WRONG_VALUES)(
    '%s',
    async (...row) => {
      expectLine(await ended(row[0]), row);
    },
    LIMIT_MS,
  );

  it.each(REFUSING)(
    '%s: one line for every flag with a wrong value',
    async (verb, flags) => {
      const { code, stderr } = await ended([verb, ...flags.map((flag) => `--${flag}=?`)].join(' '));
      expect(code).toBe(1);
      const lines = stderr.trimEnd().split('\n');
      expect(lines.map((line) => line.replace('fairlead: ', '').split(':', 1)[0])).toEqual(
        flags.map((flag) => `--${flag}`),
      );
    },
    LIMIT_MS,
  );
});
