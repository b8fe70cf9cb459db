# Reads a JSON list of statements and writes what cqlsh's own parser makes of each: null
# where it is refused, else its parts. Nothing is connected to.
import json
import sys

from cqlshlib import cql3handling, cqlshhandling, pylexotron

rules = cql3handling.CqlRuleSet
rules.append_rules(cqlshhandling.cqlsh_extra_syntax_rules)
rules.commands_end_with_newline.update(cqlshhandling.my_commands_ending_with_newline)


def parts(text):
    try:
        statements, unfinished = rules.cql_split_statements(text)
    except pylexotron.LexingError:
        return None
    statements = [s for s in statements if s]
    if unfinished or len(statements) != 1 or statements[0][-1][0] != 'endtoken':
        return None
    parsed = rules.cql_whole_parse_tokens(statements[0], srcstr=text, startsymbol='cqlshCommand')
    if not parsed or parsed.get_binding('dir') is None:
        return None
    name = lambda s: None if s is None else rules.dequote_name(s)
    file = parsed.get_binding('fname')
    return {
        'keyspace': name(parsed.get_binding('ksname')) or '',
        'table': name(parsed.get_binding('cfname')),
        'columns': [name(c) for c in parsed.get_binding('colnames', ())],
        'direction': parsed.get_binding('dir').upper(),
        'files': [] if file is None else [rules.dequote_value(file)],
        'names': [n.lower() for n in parsed.get_binding('optnames', ())],
        'values': [rules.dequote_value(v) for v in parsed.get_binding('optvals', ())],
    }


json.dump([parts(text) for text in json.load(sys.stdin)], sys.stdout)
