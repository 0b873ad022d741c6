import { useMemo, useState } from 'preact/hooks';
import {
  addedDestination,
  createsNamespaceEdit,
  isOfFiles,
  listPath,
  TARGETS,
  textEdit,
  yesOrNoEdit,
  type ApplicationForm,
  type DestinationForm,
  type Target,
  type YesOrNo,
} from './model/application-form.js';
import {
  clusterHint,
  clusterSuggestions,
  namedClusterEdit,
  flagChoices,
  NAMESPACE_FLAG,
  overridesHint,
  PRUNE_FLAG,
} from './model/cluster-choice.js';
import { areLongValues, readValues } from './model/application-text.js';
import { chooseTarget, type KeptTargets } from './model/ways.js';
import { problemAt } from './model/refusal.js';
import { pathText } from './model/three-way.js';
import { valueAt, type Path } from '../model/yaml-edit.js';
import { Field, Select } from './field.js';
import { Folded } from './folded.js';
import type { FormProps } from './form-props.js';
import { Labels } from './labels.js';
import { TemplateField } from './template-field.js';
import { once, useEntryKeys } from './use-entry-keys.js';
import { useTyped } from './use-typed.js';
import { YamlText } from './yaml-text.js';

interface DestinationProps extends Omit<FormProps, 'exists' | 'namespaces'> {
  readonly form: ApplicationForm;
  readonly destination: DestinationForm;
  readonly number: number;
}

const TARGET_TITLES: Readonly<Record<Target, string>> = {
  here: 'This cluster',
  kubeConfig: 'Kubeconfig in a Secret',
  clusterRef: 'Cluster of the inventory',
  clusterSelector: 'Clusters by their labels',
};

function Cluster(props: DestinationProps) {
  const { destination, edit, problems, clusters, form } = props;
  const { path, target, cluster } = destination;
  const [kept] = useState<KeptTargets>(() => new Map());
  const label = target === 'kubeConfig' ? 'Name of the Secret' : 'Name of the cluster';
  return (
    <>
      <Select<Target>
        label="Cluster"
        value={target}
        choices={TARGETS.map((each) => [each, TARGET_TITLES[each]] as const)}
        choose={(to) => edit((value, textAt) => chooseTarget(kept, { value, textAt }, destination, to))}
      />
      {target === 'kubeConfig' || target === 'clusterRef' ? (
        <Field
          label={label}
          value={cluster}
          problem={problemAt(problems, pathText([...path, 'destination', target]))}
          suggestions={clusterSuggestions(clusters, destination, form.namespace)}
          help={target === 'clusterRef' ? clusterHint(clusters, destination) : ''}
          commit={(text) => edit([namedClusterEdit(destination, text, { clusters, namespace: form.namespace })])}
        />
      ) : null}
      {target === 'clusterSelector' ? <Labels {...props} path={[...path, 'destination', 'clusterSelector']} /> : null}
    </>
  );
}

/** One text of a megabyte is enough for a browser. */
function LongValues({ path, number, goTo }: Pick<DestinationProps, 'number' | 'goTo'> & { path: Path }) {
  return (
    <p>
      The values of destination {number} are too long to be shown twice: they are edited in the YAML.{' '}
      <button type="button" class="small" onClick={() => goTo(path)}>
        Go to the values of destination {number}
      </button>
    </p>
  );
}

/** What is typed is only taken over when it is YAML. */
function ShortValues({ path, textAt, edit, number, valuesTree: tree }: DestinationProps & { path: Path }) {
  const own = useMemo(() => textAt(path), [textAt]);
  const { typed, type, handOver } = useTyped(own);
  const problem = useMemo(() => readValues(typed), [typed]);
  const done = (yaml: string): void => {
    if (readValues(yaml) !== undefined || yaml === own) return;
    handOver(yaml);
    edit([yaml.trim() === '' ? { path, value: undefined } : { path, yaml }]);
  };
  const rows = Math.min(16, Math.max(4, typed.split('\n').length + 1));
  const label = `Values of destination ${number}`;
  return <YamlText text={typed} {...{ label, write: type, done, problem, rows, tree }} />;
}

function Values(props: DestinationProps) {
  const path = [...props.destination.path, 'values'];
  const isLong = areLongValues(valueAt(props.value, path));
  return isLong ? <LongValues {...props} path={path} /> : <ShortValues {...props} path={path} />;
}

/** Of a chart: Kustomizations have no such field. */
function CreatesNamespace({ form, destination, edit, problems, value }: DestinationProps) {
  const { path, createsNamespace } = destination;
  return (
    <Select<YesOrNo>
      label="If the namespace does not exist"
      value={createsNamespace}
      choices={flagChoices(NAMESPACE_FLAG, { isTemplate: form.way === 'template' })}
      help={overridesHint(value, path, NAMESPACE_FLAG)}
      problem={problemAt(problems, pathText([...path, 'install']))}
      choose={(chosen) => edit([createsNamespaceEdit(value, destination, chosen)])}
    />
  );
}

function FileFields(props: DestinationProps) {
  const { form, destination, edit, problems, value } = props;
  const { path, folder, prune, template } = destination;
  const isTemplate = form.way === 'fileTemplate' || template !== '';
  const at = (key: string) => [...path, key];
  return (
    <>
      {isTemplate ? <TemplateField {...props} kind="KustomizationTemplate" path={at('template')} /> : null}
      <Field
        label="Path"
        value={folder}
        problem={problemAt(problems, pathText(at('path')))}
        commit={(text) => edit([textEdit(at('path'), text)])}
        help={isTemplate ? 'Folder in the source. Empty: as the template says.' : 'Folder in the source.'}
      />
      <Select<YesOrNo>
        label="What is no longer in the source"
        value={prune}
        choices={flagChoices(PRUNE_FLAG, { isTemplate })}
        help={overridesHint(value, path, PRUNE_FLAG)}
        choose={(chosen) => edit([yesOrNoEdit(at('prune'), chosen)])}
      />
    </>
  );
}

function Fields(props: DestinationProps) {
  const { form, destination, edit, problems } = props;
  const { path, name, namespace, others } = destination;
  const at = (keys: string[]): string | undefined => problemAt(problems, pathText([...path, ...keys]));
  const put = (keys: string[]) => (text: string) => edit([textEdit([...path, ...keys], text)]);
  return (
    <>
      <div class="entries">
        <Cluster {...props} />
        <Field
          label="Target namespace"
          value={namespace}
          problem={at(['destination', 'targetNamespace'])}
          commit={put(['destination', 'targetNamespace'])}
        />
        {isOfFiles(form.way) ? null : <CreatesNamespace {...props} />}
        <Field
          label="Name of the destination"
          value={name}
          problem={at(['name'])}
          commit={put(['name'])}
          help="Optional: with one, it keeps its history when other fields change. Another release name or namespace means a new installation."
        />
        {isOfFiles(form.way) ? <FileFields {...props} /> : null}
      </div>
      {isOfFiles(form.way) ? null : <Values {...props} />}
      {others.length === 0 ? null : <p class="hint">Only in the YAML, and kept: {others.join(', ')}.</p>}
    </>
  );
}

function summaryOf({ target, cluster, namespace, name }: DestinationForm): string {
  const where = target === 'here' || target === 'clusterSelector' ? TARGET_TITLES[target] : cluster;
  return [name === '' ? '' : `${name}: `, where, namespace === '' ? '' : `, namespace ${namespace}`].join('');
}

function Destination(props: DestinationProps & { isAlone: boolean; removed: () => void }) {
  const { destination, edit, number, isAlone, problems, removed } = props;
  const title = (
    <>
      {number}. {summaryOf(destination)}
      {destination.hasValues ? <span class="hint"> with values</span> : null}
    </>
  );
  const isBad = problemAt(problems, pathText(destination.path)) !== undefined;
  const remove = (): void => {
    removed();
    edit([{ path: destination.path, value: undefined }]);
  };
  return (
    <Folded {...{ title, isBad }} isOpen={isAlone}>
      <Fields {...props} />
      <button type="button" class="small" onClick={once(remove)}>
        Remove destination {number}
      </button>
    </Folded>
  );
}

const MOST_AT_ONCE = 20;

/** Hundreds are folded, and only one that is open has fields. */
export function Destinations({ form, edit, ...props }: FormProps & { form: ApplicationForm }) {
  const { destinations, way } = form;
  const { keys, removed } = useEntryKeys(valueAt(props.value, listPath(way)));
  return (
    <fieldset>
      <legend>Destinations ({destinations.length})</legend>
      <ul class={destinations.length > MOST_AT_ONCE ? 'destinations many' : 'destinations'}>
        {destinations.map((destination, index) => (
          <Destination
            key={keys[index]}
            {...{ ...props, form, edit, destination }}
            removed={() => removed(index)}
            number={index + 1}
            isAlone={destinations.length === 1}
          />
        ))}
      </ul>
      {way === undefined ? null : (
        <button type="button" onClick={() => edit([addedDestination(form)])}>
          Add a destination
        </button>
      )}
    </fieldset>
  );
}
