/** What a family writes in each of 20 scripts: names, a medication and a memo. People in it do not exist. */
export interface Written {
  script: string
  first_name: string
  last_name: string
  medication: string
  memo: string
}

const write = (
  script: string,
  first_name: string,
  last_name: string,
  medication: string,
  memo: string,
): Written => ({ script, first_name, last_name, medication, memo })

export const scripts: readonly Written[] = [
  write('Latin', 'Adébáyọ̀', 'Olúwakẹ́mi', 'Mélatonine ½ – matin', 'Ngủ ngon; Şule, Łukasz & “fi–ffl” <b>'),
  write('Hangul', '지우', '김', '메틸페니데이트', '잠들기 전에 조금 보챘지만 편안하게 잠들었습니다.'),
  write('Han', '國強', '韓', '漢方藥 當歸', '睡眠三小時半、夜半一度起床。'),
  write('Hiragana', 'さくら', 'ささき', 'かんぽうやく', 'よるはぐっすりねむりました。'),
  write('Katakana', 'ソフィア', 'ヴェーバー', 'メラトニン', 'パジャマ ヲ カエタ。'),
  write('Cyrillic', 'Ёжик', 'Щербаківська', 'Мелатонін', 'Спала добре; прокинулась о 3:15.'),
  write('Greek', 'Ελένη', 'Παπαδοπούλου', 'Μελατονίνη', 'Κοιμήθηκε καλά, ξύπνησε μία φορά.'),
  write('Armenian', 'Անահիտ', 'Հովհաննիսյան', 'Մելատոնին', 'Լավ քնեց և մեկ անգամ արթնացավ։'),
  write('Georgian', 'ქეთევან', 'გელაშვილი', 'მელატონინი', 'კარგად ეძინა მთელი ღამე.'),
  write('Hebrew', 'יעל', 'בן־דוד', 'מלטונין 3 מ״ג', 'נרדמה בשעה 21:30 (בערך) ok'),
  write('Arabic', 'سلمى', 'العبدالله', 'ريتالين', 'تناول مرتين ٢٥ ملغ (قبل النوم) 3 mg'),
  write('Devanagari', 'कीर्ति', 'शर्मा', 'मेलाटोनिन २ मि.ग्रा.', 'रात भर अच्छी नींद आई, दर्‍या ठीक है।'),
  write('Bengali', 'কিরণ', 'চট্টোপাধ্যায়', 'মেলাটোনিন', 'রাতে ভালো ঘুম হয়েছে, র‍্যাব।'),
  write('Tamil', 'கௌரி', 'சுப்பிரமணியன்', 'மெலடோனின்', 'இரவு முழுவதும் நன்றாக தூங்கினாள்.'),
  write('Thai', 'น้ำฝน', 'ศรีสุขสวัสดิ์', 'เมลาโทนิน', 'นอนหลับดีตลอดคืน ตื่นหนึ่งครั้ง'),
  write('Khmer', 'សុវណ្ណ', 'ធំ', 'ថ្នាំ ២៥ mg', 'កូនធំគេងលក់ស្រួល ខ្ញុំសប្បាយ'),
  // The fonts of a report lack the scripts below: it shows boxes for them, and the text is copied all the same.
  write('Ethiopic', 'ሰላማዊት', 'ተስፋዬ', 'ሜላቶኒን', 'ሌሊቱን በደንብ ተኛች።'),
  write('Gurmukhi', 'ਗੁਰਪ੍ਰੀਤ', 'ਸਿੰਘ', 'ਮੇਲਾਟੋਨਿਨ', 'ਰਾਤ ਨੂੰ ਚੰਗੀ ਨੀਂਦ ਆਈ।'),
  write('Telugu', 'సూర్య', 'రెడ్డి', 'మెలటోనిన్', 'రాత్రి బాగా నిద్రపోయింది.'),
  write('Tibetan', 'བསྟན་འཛིན', 'དབང་མོ', 'སྨན་', 'གཉིད་ཡག་པོ་ཁུག་སོང།'),
]
