import {
  formOf,
  PLACES,
  textEdit,
  textOfField,
  wayEdits,
  type ApplicationForm,
  type Way,
} from '../model/application-form.js';
import { problemAt } from '../model/refusal.js';
import { templateSuggestions } from '../model/template-suggestions.js';
import { pathText } from '../model/three-way.js';
import { Destinations } from './destinations.js';
import type { FormProps } from './form-props.js';
import { Field, Group, Select, type FieldProps } from './field.js';
import { useTemplates } from './use-templates.js';

const WAY_TITLES: readonly (readonly [Way, string])[] = [
  ['chart', 'A chart of a source of this cluster'],
  ['inline', 'A chart of a repository, by its URL'],
  ['template', 'A template'],
  ['files', 'Manifests of a source (Kustomization)'],
];
const KINDS = ['HelmRepository', 'GitRepository', 'OCIRepository', 'Bucket'] as const;

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

function SourceFields(props: FormProps) {
  const kind = KINDS.find((each) => each === textOfField(props.value, PLACES.sourceKind)) ?? KINDS[0];
  return (
    <>
      <Select
        label="Kind of source"
        value={kind}
        choices={KINDS.map((each) => [each, each] as const)}
        choose={(chosen) => props.edit([{ path: PLACES.sourceKind, value: chosen }])}
      />
      <Placed {...props} label="Name of the source" place="sourceName" />
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

function ChartFields(props: FormProps) {
  return (
    <>
      <SourceFields {...props} />
      <Placed {...props} label="Chart" place="chart" help="Its name, or its path in a GitRepository or Bucket." />
      <Placed {...props} label="Version" place="version" help={VERSION_HELP} />
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
  const help = 'NAME, or NAMESPACE/NAME of one that is shared. With @REVISION, it stays at that revision.';
  const suggestions = templateSuggestions(useTemplates(), textOfField(props.value, PLACES.namespace));
  return <Placed {...props} label="Template" place="template" {...{ help, suggestions }} />;
}

const FIELDS = { chart: ChartFields, inline: InlineFields, template: TemplateFields, files: SourceFields };

function What({ form, ...props }: FormProps & { form: ApplicationForm }) {
  if (form.way === undefined) {
    return <p class="hint">What this Application is made of is only edited in the YAML: no form shows it.</p>;
  }
  const Fields = FIELDS[form.way];
  return (
    <>
      <Select
        label="Made from"
        value={form.way}
        choices={WAY_TITLES}
        choose={(way) => props.edit(wayEdits(props.value, way))}
      />
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
export function Form(props: FormProps) {
  const { value, exists, namespaces } = props;
  const form = formOf(value);
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
      <Others fields={form.others} />
    </>
  );
}
