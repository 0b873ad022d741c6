import { Banners } from '../parts/notice.js';
import { useMemo, useState } from 'preact/hooks';
import type { DestinationView } from '#queries/answers/application.js';
import type { HelmRevision, ManifestObject, ManifestView as Manifest } from '#queries/answers/members.js';
import { CommandList } from '../parts/command-list.js';
import { DownloadButton } from '../parts/download.js';
import { manifestFile, manifestFileName, objectsWith, objectText } from './model/manifest-query.js';
import { manifestCommands, manifestPath } from './model/member-paths.js';
import { ReadHead, ReadValue, useReads } from '../data/reads.js';
import { Some } from '../parts/lists.js';
import { OneDestination } from './one-destination.js';
import type { ViewProps } from './view.js';
import './manifest.css';

/** Characters of an object that are drawn without being asked for. */
const SHORT = 20_000;

/** Drawn once somebody wants to see it. */
function Yaml({ object: { yaml }, label }: { object: ManifestObject; label: string }) {
  const [isWhole, setWhole] = useState(yaml.length <= SHORT);
  return (
    <>
      <pre class="yaml-of" role="region" aria-label={label} tabIndex={0}>
        {isWhole ? yaml : yaml.slice(0, yaml.lastIndexOf('\n', SHORT) + 1 || SHORT)}
      </pre>
      {isWhole ? null : (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          Show all {yaml.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}

function ObjectRow({ object }: { object: ManifestObject }) {
  const [isOpen, open] = useState(false);
  const { hook, yaml, problem } = object;
  const title = objectText(object);
  if (yaml === '') {
    return (
      <li>
        <p class="message">
          <strong>{title}</strong>: {problem}
        </p>
      </li>
    );
  }
  return (
    <li>
      <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
        <summary>
          {title}
          {hook === '' ? null : <span class="of"> hook: {hook}</span>}
        </summary>
        {isOpen ? <Yaml object={object} label={title} /> : null}
      </details>
    </li>
  );
}

function revisionText({ version, status, chart, chartVersion }: HelmRevision): string {
  return `As chart ${chart} ${chartVersion} was rendered: revision ${version} of Helm, ${status}.`;
}

interface FoundProps {
  readonly manifest: Manifest;
  readonly search: string;
  readonly fileName: string;
}

function Found({ manifest, search, fileName }: FoundProps) {
  const { objects, more, helm, problem } = manifest;
  const shown = useMemo(() => objectsWith(search, objects), [objects, search]);
  return (
    <>
      {problem === '' ? null : <Banners title="Not read" texts={[problem]} />}
      {objects.length === 0 ? null : (
        <>
          <p>{helm === undefined ? 'As the objects are now.' : revisionText(helm)} Values of Secrets are not shown.</p>
          <p class="read-head">
            <span class="hint" role="status">
              {shown.length.toLocaleString()} of {objects.length.toLocaleString()} objects
              {more > 0 ? `; at least ${more.toLocaleString()} more are left out` : ''}
            </span>
            <DownloadButton class="small" name={fileName} text={() => manifestFile(manifest)} />
          </p>
        </>
      )}
      <div class="manifest">
        <Some items={shown}>
          {(object) => <ObjectRow key={`${object.apiVersion} ${object.hook} ${objectText(object)}`} object={object} />}
        </Some>
      </div>
    </>
  );
}

interface OfDestinationProps extends ViewProps {
  readonly destination: DestinationView;
  readonly search: string;
}

function OfDestination({ detail, path, destination, search }: OfDestinationProps) {
  const { child, cluster, namespace, release } = destination;
  const url = manifestPath(path, child);
  const reads = useReads<Manifest>([url]);
  const read = reads.of(url);
  const fileName = manifestFileName(detail, cluster);
  return (
    <>
      <ReadHead read={read} what="the manifest" again={() => reads.again(url)} />
      <ReadValue read={read} what="the manifest: the cluster has some seconds to answer">
        {(manifest) => <Found {...{ manifest, search, fileName }} />}
      </ReadValue>
      <CommandList commands={manifestCommands({ kind: destination.childRef?.kind ?? '', namespace, release })} />
    </>
  );
}

/** The objects that were put at one destination, as YAML. */
export function ManifestView(props: ViewProps) {
  return (
    <OneDestination detail={props.detail}>
      {(destination, search) => (
        <OfDestination key={destination.child} {...props} destination={destination} search={search} />
      )}
    </OneDestination>
  );
}
