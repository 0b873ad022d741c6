import type { Token } from '../model/yaml-tokens.js';
import type { Drawn } from '../overview/model/grid.js';
import type { Finding } from '../model/yaml-findings.js';

interface YamlColoursProps {
  readonly lines: readonly (readonly Token[])[];
  readonly drawn: Drawn;
  readonly findings: readonly Finding[];
  readonly seen: { readonly top: number; readonly left: number; readonly width: number; readonly height: number };
}

function shiftOf(first: number, { top, left }: YamlColoursProps['seen']): string {
  return `translate(${-left}px, calc(${first * 1.5}em - ${top}px))`;
}

function isWrong(findings: readonly Finding[], line: number): boolean {
  return findings.some((each) => each.line === line + 1);
}

/** The text once more, above the area whose own letters cannot be seen: only what can be seen of it. */
export function YamlColours({ lines, drawn, findings, seen }: YamlColoursProps) {
  return (
    <div class="colours" aria-hidden="true" style={{ width: `${seen.width}px`, height: `${seen.height}px` }}>
      <pre style={{ transform: shiftOf(drawn.first, seen) }}>
        {lines.map((tokens, index) => (
          <span key={index} class={isWrong(findings, drawn.first + index) ? 'line wrong' : 'line'}>
            {tokens.map(({ kind, text }, each) =>
              kind === 'plain' ? (
                text
              ) : (
                <span key={each} class={kind}>
                  {text}
                </span>
              ),
            )}
          </span>
        ))}
      </pre>
    </div>
  );
}

/** The numbers of the lines that can be seen; those with a finding have a mark. */
export function LineNumbers({ drawn, count, findings, seen }: Omit<YamlColoursProps, 'lines'> & { count: number }) {
  const numbers = Array.from({ length: drawn.end - drawn.first }, (_, index) => drawn.first + index);
  return (
    <div class="numbers" aria-hidden="true" style={{ width: `calc(${String(count).length + 2}ch + 1rem)` }}>
      <pre style={{ transform: shiftOf(drawn.first, { ...seen, left: 0 }) }}>
        {numbers.map((line) => (
          <span key={line} class={isWrong(findings, line) ? 'line bad' : 'line'}>
            {isWrong(findings, line) ? '✗ ' : ''}
            {line + 1}
          </span>
        ))}
      </pre>
    </div>
  );
}
