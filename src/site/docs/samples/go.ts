import { KEY_VARIABLE, type SampleRequest } from './request';

const fatal = ['if err != nil {', '\tpanic(err)', '}'];

export function goSample({ method, url, needsKey, headers, body, text, file }: SampleRequest): string {
  const sentText = text ?? (body === undefined ? undefined : JSON.stringify(body, null, 2));
  const hasBody = sentText !== undefined || file !== undefined;
  const imports = [
    ...['fmt', 'io', 'net/http'],
    ...(needsKey || file !== undefined ? ['os'] : []),
    ...(sentText === undefined ? [] : ['strings']),
  ];
  const sent = [
    ...(needsKey ? [`req.Header.Set("Authorization", "Bearer "+os.Getenv("${KEY_VARIABLE}"))`] : []),
    ...Object.entries(headers).map(
      ([name, value]) => `req.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
    ),
    ...(body === undefined ? [] : ['req.Header.Set("Content-Type", "application/json")']),
  ];
  const lines = [
    ...(file === undefined
      ? []
      : [`body, err := os.Open(${JSON.stringify(file)})`, ...fatal, 'defer body.Close()']),
    ...(sentText === undefined ? [] : [`body := strings.NewReader(${raw(sentText)})`]),
    `req, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${hasBody ? 'body' : 'nil'})`,
    ...fatal,
    ...sent,
    'res, err := http.DefaultClient.Do(req)',
    ...fatal,
    'defer res.Body.Close()',
    'data, _ := io.ReadAll(res.Body)',
    'fmt.Println(res.Status, string(data))',
  ];
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...lines.map((line) => `\t${line}`),
    '}',
  ].join('\n');
}

/** A raw string of Go cannot contain a backtick. */
function raw(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``;
}
