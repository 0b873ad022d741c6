import { textEdit, textOfField, yesOrNo, yesOrNoEdit } from './model/application-form.js';
import { problemAt } from './model/refusal.js';
import { countEdit } from './model/rollout-form.js';
import { wordsAt } from '../model/schema-spot.js';
import { pathText } from './model/three-way.js';
import type { Path } from '../model/yaml-edit.js';
import { Check, Field, Select } from './field.js';
import type { FormProps } from './form-props.js';

interface SettingProps extends Pick<FormProps, 'value' | 'edit' | 'problems' | 'tree'> {
  readonly label: string;
  readonly path: Path;
}

/** What the schema says of a field. */
function aboutField({ path, problems, tree }: SettingProps) {
  const help = tree === undefined ? '' : wordsAt(tree.at(path)).description;
  return { help, problem: problemAt(problems, pathText(path)) };
}

/** A field that is explained by the schema. */
export function Setting(props: SettingProps & { isCount?: boolean; placeholder?: string }) {
  const { label, path, value, edit, isCount = false, placeholder = '' } = props;
  return (
    <Field
      {...{ label, placeholder, ...aboutField(props) }}
      value={textOfField(value, path)}
      commit={(text) => edit([isCount ? countEdit(path, text) : textEdit(path, text)])}
    />
  );
}

interface OneOfProps extends SettingProps {
  /** The first one is that nothing is said. */
  readonly choices: readonly (readonly [value: string, text: string])[];
}

export function OneOf(props: OneOfProps) {
  const { label, path, value, edit, choices } = props;
  return (
    <Select
      {...{ label, choices, ...aboutField(props) }}
      value={textOfField(value, path)}
      choose={(chosen) => edit([textEdit(path, chosen)])}
    />
  );
}

/** A flag that is only said while it is set. */
export function Flag({ label, path, value, edit }: Omit<SettingProps, 'problems' | 'tree'>) {
  return (
    <Check
      label={label}
      checked={yesOrNo(value, path) === 'true'}
      check={(checked) => edit([yesOrNoEdit(path, checked ? 'true' : '')])}
    />
  );
}
