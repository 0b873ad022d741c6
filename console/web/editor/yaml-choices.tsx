import { useEffect, useRef } from 'preact/hooks';
import type { YamlChoice } from '../model/yaml-choices.js';
import type { OpenList } from './use-assist.js';

interface YamlChoicesProps {
  readonly id: string;
  readonly list: OpenList;
  /** Where the text begins, in pixels. */
  readonly at: { readonly top: number; readonly left: number };
  readonly take: (choice: YamlChoice) => void;
}

export function optionId(id: string, index: number): string {
  return `${id}-${index}`;
}

/** What may stand at the cursor, below its line. The focus stays in the text. */
export function YamlChoices({ id, list, at, take }: YamlChoicesProps) {
  const { choices, active, line, column } = list;
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [active]);
  const place = {
    top: `calc(${(line + 1) * 1.5}em + ${at.top}px)`,
    left: `clamp(0px, calc(${column}ch + ${at.left}px), max(0px, 100% - 18em))`,
  };
  return (
    <ul id={id} ref={box} class="choices" role="listbox" aria-label="What may stand here" style={place}>
      {choices.map((choice, index) => (
        <li
          key={choice.label}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(choice)}
        >
          <b>{choice.label}</b> {choice.isRequired ? <i>required</i> : null} <span>{choice.type}</span>
        </li>
      ))}
    </ul>
  );
}
