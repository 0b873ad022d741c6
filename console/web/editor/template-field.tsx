import { PLACES, textEdit, textOfField } from '../model/application-form.js';
import { problemAt } from '../model/refusal.js';
import { templateHint, templateSuggestions } from '../model/template-suggestions.js';
import { pathText } from '../model/three-way.js';
import type { Path } from '../model/yaml-edit.js';
import { Field } from './field.js';
import type { FormProps } from './form-props.js';

interface TemplateFieldProps extends Pick<FormProps, 'value' | 'edit' | 'problems' | 'templates'> {
  readonly kind: 'HelmTemplate' | 'KustomizationTemplate';
  readonly path: Path;
}

const HELP = 'NAME, or NAMESPACE/NAME of one that is shared. With @REVISION, it stays at that revision.';

/** A template by its name, with what is known of it. */
export function TemplateField({ kind, path, value, edit, problems, templates }: TemplateFieldProps) {
  const [namespace, template] = [PLACES.namespace, path].map((place) => textOfField(value, place)) as [string, string];
  const known = templateHint(templates, { kind, namespace, template });
  return (
    <Field
      label="Template"
      value={template}
      help={`${known}${known === '' ? '' : ' '}${HELP}`}
      suggestions={templateSuggestions(templates, { kind, namespace })}
      problem={problemAt(problems, pathText(path))}
      commit={(text) => edit([kind === 'HelmTemplate' || text !== '' ? textEdit(path, text) : { path, value: null }])}
    />
  );
}
