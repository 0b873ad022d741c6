import { PLACES, textEdit, textOfField } from './model/application-form.js';
import { problemAt } from './model/refusal.js';
import { namedTemplate, pinnedSuggestions, templateHint, templateSuggestions } from './model/suggestions.js';
import { templateApiPath } from '../templates/model/template-query.js';
import { pathText } from './model/three-way.js';
import type { Path } from '../model/yaml-edit.js';
import { Field } from './field.js';
import type { FormProps } from './form-props.js';
import { useRead } from './use-read.js';

interface TemplateFieldProps extends Pick<FormProps, 'value' | 'edit' | 'problems' | 'templates'> {
  readonly kind: 'HelmTemplate' | 'KustomizationTemplate';
  readonly path: Path;
}

const HELP = 'NAME, or NAMESPACE/NAME of one that is shared. With @REVISION, it stays at that revision.';

/** A template by its name, and its revisions, with what is known of it. */
export function TemplateField({ kind, path, value, edit, problems, templates }: TemplateFieldProps) {
  const namespace = textOfField(value, PLACES.namespace);
  const template = textOfField(value, path);
  const found = namedTemplate(templates, { kind, namespace, template });
  const revisions = useRead(found === undefined ? [] : [`${templateApiPath(found)}/revisions`]);
  const known = templateHint(found);
  return (
    <Field
      label="Template"
      value={template}
      help={`${known}${known === '' ? '' : ' '}${HELP}`}
      suggestions={[...templateSuggestions(templates, { kind, namespace }), ...pinnedSuggestions(template, revisions)]}
      problem={problemAt(problems, pathText(path))}
      commit={(text) => edit([kind === 'HelmTemplate' || text !== '' ? textEdit(path, text) : { path, value: null }])}
    />
  );
}
