import { useEffect, useState } from 'preact/hooks';
import { kindsFor } from '#api/flux/source-kinds.js';
import type { TemplateItem } from '#queries/answers/templates.js';
import { type ApplicationForm, formOf, PLACES, textEdit, textOfField, type Way } from './model/application-form.js';
import type { KnownClusters } from './model/cluster-choice.js';
import { problemAt } from './model/refusal.js';
import {
  chartSuggestions,
  type KnownSources,
  NO_SOURCES,
  sourceHint,
  sourceSuggestions,
  versionSuggestions,
} from './model/suggestions.js';
import { pathText } from './model/three-way.js';
import { request } from '../data/request.js';
import { Destinations } from './destinations.js';
import { Field, type FieldProps, Group, Select } from './field.js';
import type { FormProps } from './form-props.js';
import { Rollout } from './rollout.js';
import { Settings } from './settings.js';
import { TemplateField } from './template-field.js';

/** The form offers these of a namespace. Anything else can be typed, so that what cannot be read is only missing. */
function useListed<T>(namespace: string, what: string, nothing: T): T {
  const [listed, set] = useState(nothing);
  useEffect(() => {
    set(nothing);
    if (namespace === '') return;
    const stop = new AbortController();
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${what}`;
    void request<T>(path, { signal: stop.signal }).then((answer) => {
      if (!stop.signal.aborted && answer !== undefined && 'value' in answer) set(answer.value);
    });
    return () => stop.abort();
  }, [namespace, what]);
  return listed;
}

function useClusters(namespace: string): KnownClusters {
  return useListed<KnownClusters>(namespace, 'clusters?limit=500', undefined);
}

function useSources(namespace: string): KnownSources {
  return useListed(namespace, 'sources', NO_SOURCES);
}

/** Those that the user may read, up to a page of them; any other one can be typed. */
function useTemplates(): readonly TemplateItem[] {
  const [templates, set] = useState<readonly TemplateItem[]>([]);
  useEffect(() => {
    void request<{ items: TemplateItem[] }>('/api/v1/templates?limit=500').then((answer) => {
      if (answer !== undefined && 'value' in answer) set(answer.value.items);
    });
  }, []);
  return templates;
}

const WAY_TITLES: readonly (readonly [Way, string])[] = [
  ['chart', 'A chart of a source'],
  ['inline', 'A chart by its URL'],
  ['template', 'A template of a chart'],
  ['files', 'Manifests (Kustomization)'],
  ['fileTemplate', 'Templates of manifests'],
];
const KINDS = kindsFor('applications');

interface PlacedProps
  extends FormProps, Partial<Pick<FieldProps, 'help' | 'readOnly' | 'placeholder' | 'suggestions'>> {
  readonly label: string;
  readonly place: keyof typeof PLACES;
}

/** The field of a place of the Application. */
function Placed({ place, ...props }: PlacedProps) {
  const { value, edit, problems } = props;
  const path = PLACES[place];
  return (
    <Field
      {...props}
      value={textOfField(value, path)}
      problem={problemAt(problems, pathText(path))}
      commit={(text) => edit([textEdit(path, text)])}
    />
  );
}

interface ChosenSource {
  readonly sources: KnownSources;
  readonly kind: (typeof KINDS)[number];
  readonly name: string;
}

/** The source of an Application, and what is known of those in its namespace. */
function useSource({ value }: FormProps): ChosenSource {
  const kind = KINDS.find((each) => each === textOfField(value, PLACES.sourceKind)) ?? 'HelmRepository';
  const [name, other, own] = [PLACES.sourceName, PLACES.sourceNamespace, PLACES.namespace].map((place) =>
    textOfField(value, place),
  ) as [string, string, string];
  return { sources: useSources(other === '' ? own : other), kind, name };
}

function SourceFields({ source, ...props }: FormProps & { source: ChosenSource }) {
  const { sources, kind } = source;
  return (
    <>
      <Select
        label="Kind of source"
        value={kind}
        choices={KINDS.map((each) => [each, each] as const)}
        choose={(chosen) => props.edit([{ path: PLACES.sourceKind, value: chosen }])}
      />
      <Placed
        {...props}
        label="Name of the source"
        place="sourceName"
        suggestions={sourceSuggestions(sources, kind)}
        help={sourceHint(sources, source)}
      />
      <Placed
        {...props}
        label="Namespace of the source"
        place="sourceNamespace"
        help="Empty: the namespace of the Application."
      />
    </>
  );
}

const VERSION_HELP = 'A version, or a range such as 1.x or >=1.2 <2. Empty: the latest.';

function FileFields(props: FormProps) {
  return <SourceFields {...props} source={useSource(props)} />;
}

const CHART_HELP = 'Its name, or its path in a GitRepository or Bucket.';

function ChartFields(props: FormProps) {
  const source = useSource(props);
  const charts = chartSuggestions(source.sources, source);
  const versions = versionSuggestions(source.sources, source, textOfField(props.value, PLACES.chart));
  return (
    <>
      <SourceFields {...props} source={source} />
      <Placed {...props} label="Chart" place="chart" help={CHART_HELP} suggestions={charts} />
      <Placed {...props} label="Version" place="version" help={VERSION_HELP} suggestions={versions} />
    </>
  );
}

function InlineFields(props: FormProps) {
  return (
    <>
      <Placed {...props} label="Repository" place="repo" placeholder="https://… or oci://…" />
      <Placed {...props} label="Chart" place="inlineChart" help="Empty for oci://, if the URL is that of the chart." />
      <Placed {...props} label="Version" place="inlineVersion" help={VERSION_HELP} />
    </>
  );
}

function TemplateFields(props: FormProps) {
  return <TemplateField {...props} kind="HelmTemplate" path={PLACES.template} />;
}

function FileTemplateFields() {
  return <p class="hint">Each destination names its template below.</p>;
}

const FIELDS = {
  ...{ chart: ChartFields, inline: InlineFields, template: TemplateFields },
  ...{ files: FileFields, fileTemplate: FileTemplateFields },
};

function What({ form, ...props }: FormProps & { form: ApplicationForm }) {
  if (form.way === undefined) {
    return <p class="hint">What this Application is made of is only edited in the YAML: no form shows it.</p>;
  }
  const Fields = FIELDS[form.way];
  return (
    <>
      <Select label="Made from" value={form.way} choices={WAY_TITLES} choose={props.choose} />
      <Fields {...props} />
    </>
  );
}

const MOST_OTHERS = 12;

function Others({ fields }: { fields: readonly string[] }) {
  if (fields.length === 0) return null;
  const more = fields.length - MOST_OTHERS;
  return (
    <p class="hint">
      Only in the YAML, and kept: {fields.slice(0, MOST_OTHERS).join(', ')}
      {more > 0 ? ` and ${more} more` : ''}.
    </p>
  );
}

/** The fields that most Applications have; the others are in the YAML, and stay. */
export function Form(given: Omit<FormProps, 'clusters' | 'templates'>) {
  const { value, exists, namespaces } = given;
  const form = formOf(value);
  const props = { ...given, clusters: useClusters(form.namespace), templates: useTemplates() };
  return (
    <>
      <Group title="Application">
        <Placed
          {...props}
          label="Namespace"
          place="namespace"
          readOnly={exists}
          {...(exists ? {} : { suggestions: namespaces })}
        />
        <Placed {...props} label="Name" place="name" readOnly={exists} />
      </Group>
      <Group title="What runs">
        <What {...props} form={form} />
      </Group>
      <Destinations {...props} form={form} />
      {form.way === undefined ? null : (
        <>
          <Rollout {...props} />
          <Settings {...props} />
        </>
      )}
      <Others fields={form.others} />
    </>
  );
}
