import sax from 'sax';

const MAX_DEPTH = 8;

/** What is done with the elements of a document; a path is the names of an element and of all around it. */
interface XmlReader {
  readonly onOpen?: (path: readonly string[]) => void;
  readonly onText: (path: readonly string[], text: string) => void;
}

/** Reads a document that somebody else wrote, with no entities but the five of XML; false when it is none. */
export function readXml(xml: string, { onOpen, onText }: XmlReader): boolean {
  const path: string[] = [];
  const parser = sax.parser(true, { position: false });
  parser.onopentag = ({ name }) => {
    path.push(name);
    if (path.length > MAX_DEPTH) throw new Error('too deep');
    onOpen?.(path);
  };
  parser.onclosetag = () => path.pop();
  parser.ontext = (text) => onText(path, text);
  parser.oncdata = (text) => onText(path, text);
  parser.onerror = (error) => {
    throw error;
  };
  try {
    parser.write(xml).close();
  } catch {
    return false;
  }
  return true;
}
