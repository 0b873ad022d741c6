import { requiredVersion, type ToolName } from './table.js';

/** Where a released program and its checksum are. Addresses are without scheme, `HOST/PATH`. */
export interface Release {
  readonly file: string;
  /** Path of the program in the archive; undefined when the file is the program. */
  readonly member?: string;
  readonly checksums: string;
}

/** Operating system and architecture, in Go's words. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/** What a Node platform is called by those who release Go programs; undefined when they release nothing for it. */
export function platformOf(os: string, arch: string): Platform | undefined {
  const architecture = { x64: 'amd64', arm64: 'arm64' }[arch];
  return (os === 'linux' || os === 'darwin') && architecture !== undefined ? { os, arch: architecture } : undefined;
}

type FindRelease = (goMod: string, platform: Platform) => Release | undefined;

function kubernetes(tool: ToolName): FindRelease {
  return (goMod, { os, arch }) => {
    // Servers are released for Linux only.
    if (os !== 'linux' && tool !== 'kubectl') return undefined;
    const version = requiredVersion(goMod, 'k8s.io/kubernetes');
    const file = `dl.k8s.io/release/${version}/bin/${os}/${arch}/${tool}`;
    return { file, checksums: `${file}.sha256` };
  };
}

function helm(goMod: string, { os, arch }: Platform): Release {
  const file = `get.helm.sh/helm-${requiredVersion(goMod, 'helm.sh/helm/v4')}-${os}-${arch}.tar.gz`;
  return { file, member: `${os}-${arch}/helm`, checksums: `${file}.sha256sum` };
}

function etcd(goMod: string, { os, arch }: Platform): Release | undefined {
  // For macOS it is a zip file.
  if (os !== 'linux') return undefined;
  const version = requiredVersion(goMod, 'go.etcd.io/etcd/server/v3');
  const [folder, name] = [`github.com/etcd-io/etcd/releases/download/${version}`, `etcd-${version}-${os}-${arch}`];
  return { file: `${folder}/${name}.tar.gz`, member: `${name}/etcd`, checksums: `${folder}/SHA256SUMS` };
}

function kwok(goMod: string, { os, arch }: Platform): Release {
  const version = requiredVersion(goMod, 'sigs.k8s.io/kwok');
  return {
    file: `github.com/kubernetes-sigs/kwok/releases/download/${version}/kwok-${os}-${arch}`,
    // kwok publishes no checksums of its own: GitHub does.
    checksums: `api.github.com/repos/kubernetes-sigs/kwok/releases/tags/${version}`,
  };
}

function kustomize(goMod: string, { os, arch }: Platform): Release {
  const version = requiredVersion(goMod, 'sigs.k8s.io/kustomize/kustomize/v5');
  const folder = `github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2F${version}`;
  return {
    file: `${folder}/kustomize_${version}_${os}_${arch}.tar.gz`,
    member: 'kustomize',
    checksums: `${folder}/checksums.txt`,
  };
}

function registry(goMod: string, { os, arch }: Platform): Release | undefined {
  if (os !== 'linux') return undefined;
  const version = requiredVersion(goMod, 'github.com/distribution/distribution/v3');
  const folder = `github.com/distribution/distribution/releases/download/${version}`;
  const file = `${folder}/registry_${version.slice(1)}_${os}_${arch}.tar.gz`;
  return { file, member: 'registry', checksums: `${file}.sha256` };
}

/** By tool; a tool that is not here is compiled on every machine. */
const RELEASES: Readonly<Partial<Record<ToolName, FindRelease>>> = {
  helm,
  etcd,
  kwok,
  kustomize,
  registry,
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubectl: kubernetes('kubectl'),
};

/**
 * The release that fits the version in go.mod; undefined when its project releases no such program for the platform.
 */
export function releaseOf(tool: ToolName, goMod: string, platform: Platform): Release | undefined {
  return RELEASES[tool]?.(goMod, platform);
}

const SHA256 = /^[0-9a-f]{64}$/;

interface GitHubRelease {
  readonly assets?: readonly { readonly name?: string; readonly digest?: string | null }[];
}

function ofGitHub(text: string, name: string): string | undefined {
  // What does not have this shape has no such asset.
  const release = JSON.parse(text) as GitHubRelease;
  const digest = release.assets?.find((asset) => asset.name === name)?.digest;
  return digest?.replace(/^sha256:/, '');
}

function ofList(text: string, name: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+\*?/));
  const line = lines.find(([, file]) => file?.split('/').at(-1) === name) ?? lines.find(([, file]) => file === undefined);
  return line?.[0];
}

/**
 * The SHA-256 of the file called `name`: from a list as `sha256sum` writes it, from a bare checksum, or from GitHub's
 * description of a release. Undefined when it is not in there. Never throws.
 */
export function checksumIn(text: string, name: string): string | undefined {
  try {
    const found = text.startsWith('{') ? ofGitHub(text, name) : ofList(text, name);
    return found !== undefined && SHA256.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
