"""Reads a workbook (ISO/IEC 29500) from the standard input with openpyxl, and writes as JSON what a user would see of it."""

import datetime
import io
import json
import sys

import openpyxl


def told(value):
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value


workbook = openpyxl.load_workbook(io.BytesIO(sys.stdin.buffer.read()))
[sheet] = workbook.worksheets
rows = [[{"type": cell.data_type, "value": told(cell.value), "date": cell.is_date} for cell in row] for row in sheet.iter_rows()]
json.dump({"title": sheet.title, "frozen": sheet.freeze_panes, "bold": [cell.font.b for cell in sheet[1]], "rows": rows}, sys.stdout)
